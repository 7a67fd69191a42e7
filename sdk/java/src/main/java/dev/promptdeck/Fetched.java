package dev.promptdeck;

import java.time.Duration;

/**
 * Result of one fetch.
 *
 * @param prompt the served prompt; null if it is unknown
 * @param error why it is unknown; else null
 * @param retryAfter the time that the service asked to wait; zero if none
 */
record Fetched(Prompt prompt, PromptdeckException error, Duration retryAfter) {
    static Fetched found(Prompt prompt) {
        return new Fetched(prompt, null, Duration.ZERO);
    }

    static Fetched failed(PromptdeckException error) {
        return failed(error, Duration.ZERO);
    }

    static Fetched failed(PromptdeckException error, Duration retryAfter) {
        return new Fetched(null, error, retryAfter);
    }

    boolean isFound() {
        return prompt != null;
    }

    /** Returns true if the service replied that there is no such prompt. */
    boolean isMissing() {
        return error instanceof NotFoundException;
    }
}
