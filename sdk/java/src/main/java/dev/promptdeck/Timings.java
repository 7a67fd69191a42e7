package dev.promptdeck;

import java.time.Duration;

/**
 * Time limits and intervals. Start from {@link #defaults()} and change individual values.
 *
 * @param request time limit of a request to the service (5 s)
 * @param stale time for which a prompt in memory is current without a live connection (30 s)
 * @param negative time for which a key that was not found is not requested again (30 s)
 * @param retryMin the pause after a first failure (1 s)
 * @param retryMax the longest pause after many failures (60 s)
 * @param kicked the pause after an admin closed the connection (60 s)
 * @param poll interval at which prompts are fetched again while there is no live connection (30 s)
 * @param report time for which a reported run may wait for others in the same request (1 s)
 */
public record Timings(
        Duration request,
        Duration stale,
        Duration negative,
        Duration retryMin,
        Duration retryMax,
        Duration kicked,
        Duration poll,
        Duration report) {

    private static final Timings DEFAULTS = new Timings(
            Duration.ofSeconds(5),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            Duration.ofSeconds(1),
            Duration.ofSeconds(60),
            Duration.ofSeconds(60),
            Duration.ofSeconds(30),
            Duration.ofSeconds(1));

    /**
     * Returns times that suit most applications.
     *
     * @return the default of each component
     */
    public static Timings defaults() {
        return DEFAULTS;
    }

    /**
     * Returns the same timings with another {@link #request()}.
     *
     * @param value more than 0
     * @return other timings
     */
    public Timings withRequest(Duration value) {
        return new Timings(value, stale, negative, retryMin, retryMax, kicked, poll, report);
    }

    /**
     * Returns the same timings with another {@link #stale()}.
     *
     * @param value more than 0
     * @return other timings
     */
    public Timings withStale(Duration value) {
        return new Timings(request, value, negative, retryMin, retryMax, kicked, poll, report);
    }

    /**
     * Returns the same timings with another {@link #negative()}.
     *
     * @param value more than 0
     * @return other timings
     */
    public Timings withNegative(Duration value) {
        return new Timings(request, stale, value, retryMin, retryMax, kicked, poll, report);
    }

    /**
     * Returns the same timings with another {@link #retryMin()}.
     *
     * @param value more than 0
     * @return other timings
     */
    public Timings withRetryMin(Duration value) {
        return new Timings(request, stale, negative, value, retryMax, kicked, poll, report);
    }

    /**
     * Returns the same timings with another {@link #retryMax()}.
     *
     * @param value more than 0
     * @return other timings
     */
    public Timings withRetryMax(Duration value) {
        return new Timings(request, stale, negative, retryMin, value, kicked, poll, report);
    }

    /**
     * Returns the same timings with another {@link #kicked()}.
     *
     * @param value more than 0
     * @return other timings
     */
    public Timings withKicked(Duration value) {
        return new Timings(request, stale, negative, retryMin, retryMax, value, poll, report);
    }

    /**
     * Returns the same timings with another {@link #poll()}.
     *
     * @param value more than 0
     * @return other timings
     */
    public Timings withPoll(Duration value) {
        return new Timings(request, stale, negative, retryMin, retryMax, kicked, value, report);
    }

    /**
     * Returns the same timings with another {@link #report()}.
     *
     * @param value more than 0
     * @return other timings
     */
    public Timings withReport(Duration value) {
        return new Timings(request, stale, negative, retryMin, retryMax, kicked, poll, value);
    }

    /** Returns this if all values are given and positive. */
    Timings checked() {
        for (Duration time : new Duration[] {request, stale, negative, retryMin, retryMax, kicked, poll, report}) {
            if (time == null || time.isZero() || time.isNegative()) {
                throw new InvalidException("All timings must be set and greater than 0.");
            }
        }
        return this;
    }
}
