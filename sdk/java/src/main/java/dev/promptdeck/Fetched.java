package dev.promptdeck;

/**
 * What became of one fetch.
 *
 * @param prompt what is served; null when it is not known
 * @param error why it is not known; null when it is
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

    /** The service said that there is no such prompt. */
    boolean isMissing() {
        return error instanceof NotFoundException;
    }
}
