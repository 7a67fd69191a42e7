package dev.promptdeck;

import java.time.Duration;

/**
 * A prompt in memory.
 *
 * @param checkedAt when the service last confirmed it as served ({@link System#nanoTime})
 */
record CachedPrompt(Prompt prompt, long checkedAt) {
    static CachedPrompt now(Prompt prompt) {
        return new CachedPrompt(prompt.from(PromptSource.MEMORY), System.nanoTime());
    }

    boolean isOlderThan(Duration age) {
        return System.nanoTime() - checkedAt > age.toNanos();
    }
}
