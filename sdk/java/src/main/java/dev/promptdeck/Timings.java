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
     * @param given more than 0
     * @return other timings
     */
    public Timings withRequest(Duration given) {
        return new Timings(given, stale, negative, retryMin, retryMax, kicked, poll, report);
    }

    /**
     * Returns the same timings with another {@link #stale()}.
     *
     * @param given more than 0
     * @return other timings
     */
    public Timings withStale(Duration given) {
        return new Timings(request, given, negative, retryMin, retryMax, kicked, poll, report);
    }

    /**
     * Returns the same timings with another {@link #negative()}.
     *
     * @param given more than 0
     * @return other timings
     */
    public Timings withNegative(Duration given) {
        return new Timings(request, stale, given, retryMin, retryMax, kicked, poll, report);
    }

    /**
     * Returns the same timings with another {@link #retryMin()}.
     *
     * @param given more than 0
     * @return other timings
     */
    public Timings withRetryMin(Duration given) {
        return new Timings(request, stale, negative, given, retryMax, kicked, poll, report);
    }

    /**
     * Returns the same timings with another {@link #retryMax()}.
     *
     * @param given more than 0
     * @return other timings
     */
    public Timings withRetryMax(Duration given) {
        return new Timings(request, stale, negative, retryMin, given, kicked, poll, report);
    }

    /**
     * Returns the same timings with another {@link #kicked()}.
     *
     * @param given more than 0
     * @return other timings
     */
    public Timings withKicked(Duration given) {
        return new Timings(request, stale, negative, retryMin, retryMax, given, poll, report);
    }

    /**
     * Returns the same timings with another {@link #poll()}.
     *
     * @param given more than 0
     * @return other timings
     */
    public Timings withPoll(Duration given) {
        return new Timings(request, stale, negative, retryMin, retryMax, kicked, given, report);
    }

    /**
     * Returns the same timings with another {@link #report()}.
     *
     * @param given more than 0
     * @return other timings
     */
    public Timings withReport(Duration given) {
        return new Timings(request, stale, negative, retryMin, retryMax, kicked, poll, given);
    }

    /** Returns this if all values are given and positive. */
    Timings checked() {
        for (Duration each : new Duration[] {request, stale, negative, retryMin, retryMax, kicked, poll, report}) {
            if (each == null || each.isZero() || each.isNegative()) {
                throw new InvalidException("All timings must be set and greater than 0.");
            }
        }
        return this;
    }
}
