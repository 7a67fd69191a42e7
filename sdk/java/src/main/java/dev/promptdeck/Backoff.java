package dev.promptdeck;

import java.time.Duration;

/** Pauses that double with each failure in a row. */
final class Backoff {
    private final Duration min;
    private final Duration max;
    private int failures;

    Backoff(Timings timings) {
        this.min = timings.retryMin();
        this.max = timings.retryMax();
    }

    /** The pause after one more failure. */
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
