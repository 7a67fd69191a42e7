/**
 * A client of a Promptdeck service: prompts that stay current, and reports of the runs made with them.
 *
 * <p>Start at {@link dev.promptdeck.PromptdeckClient#builder()}. An application never fails because the service is
 * down: the last known values are served, from memory, from disk, or from texts bundled with the application.
 */
package dev.promptdeck;
