package dev.promptdeck;

/**
 * Result of one fetch.
 *
 * @param prompt the served prompt; null if it is unknown
 * @param error why it is unknown; else null
 */
record Fetched(Prompt prompt, PromptdeckException error) {
    static Fetched found(Prompt prompt) {
        return new Fetched(prompt, null);
    }

    static Fetched failed(PromptdeckException error) {
        return new Fetched(null, error);
    }

    boolean isFound() {
        return prompt != null;
    }

    /** Returns true if the service replied that there is no such prompt. */
    boolean isMissing() {
        return error instanceof NotFoundException;
    }
}
