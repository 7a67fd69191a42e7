package dev.promptdeck;

import java.time.Duration;

/** Exponential backoff: the pause doubles with each consecutive failure, up to a maximum. */
final class Backoff {
    private final Duration min;
    private final Duration max;
    private int failures;

    Backoff(Timings timings) {
        this.min = timings.retryMin();
        this.max = timings.retryMax();
    }

    /** Counts a failure and returns the pause after it. */
    Duration fail() {
        failures += 1;
        Duration pause = min;
        for (int doubled = 1; doubled < failures && pause.compareTo(max) < 0; doubled++) pause = pause.multipliedBy(2);
        return pause.compareTo(max) < 0 ? pause : max;
    }

    void reset() {
        failures = 0;
    }
}
