/**
 * A client of a Promptdeck service: provides current prompts and reports runs.
 *
 * <p>Start with {@link dev.promptdeck.PromptdeckClient#builder()}. While the service is down, the last known prompts
 * are served from memory, from disk, or from texts bundled with the application.
 */
package dev.promptdeck;
