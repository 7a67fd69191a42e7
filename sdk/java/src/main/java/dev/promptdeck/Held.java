package dev.promptdeck;

import java.time.Duration;

/**
 * A prompt in memory.
 *
 * @param checkedAt when the service last confirmed it as served ({@link System#nanoTime})
 */
record Held(Prompt prompt, long checkedAt) {
    static Held now(Prompt prompt) {
        return new Held(prompt.from(PromptSource.MEMORY), System.nanoTime());
    }

    boolean isOlderThan(Duration age) {
        return System.nanoTime() - checkedAt > age.toNanos();
    }
}
