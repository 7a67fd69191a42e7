package dev.promptdeck;

import java.time.Duration;

/**
 * How long things last. Start from {@link #defaults()} and change what must be changed.
 *
 * @param request the most a request to the service may take (5 s)
 * @param stale how long a prompt in memory is current without a live connection (30 s)
 * @param negative how long a key that was not found is not asked for again (30 s)
 * @param retryMin the pause after a first failure (1 s)
 * @param retryMax the longest pause after many failures (60 s)
 * @param kicked the pause after an admin closed the connection (60 s)
 * @param poll how often prompts are refetched while there is no live connection (30 s)
 * @param report how long a reported run may wait for others to be sent with (1 s)
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
     * The times that fit most applications.
     *
     * @return as given with each component
     */
    public static Timings defaults() {
        return DEFAULTS;
    }

    /**
     * The same times but for {@link #request()}.
     *
     * @param given more than 0
     * @return other timings
     */
    public Timings withRequest(Duration given) {
        return new Timings(given, stale, negative, retryMin, retryMax, kicked, poll, report);
    }

    /**
     * The same times but for {@link #stale()}.
     *
     * @param given more than 0
     * @return other timings
     */
    public Timings withStale(Duration given) {
        return new Timings(request, given, negative, retryMin, retryMax, kicked, poll, report);
    }

    /**
     * The same times but for {@link #negative()}.
     *
     * @param given more than 0
     * @return other timings
     */
    public Timings withNegative(Duration given) {
        return new Timings(request, stale, given, retryMin, retryMax, kicked, poll, report);
    }

    /**
     * The same times but for {@link #retryMin()}.
     *
     * @param given more than 0
     * @return other timings
     */
    public Timings withRetryMin(Duration given) {
        return new Timings(request, stale, negative, given, retryMax, kicked, poll, report);
    }

    /**
     * The same times but for {@link #retryMax()}.
     *
     * @param given more than 0
     * @return other timings
     */
    public Timings withRetryMax(Duration given) {
        return new Timings(request, stale, negative, retryMin, given, kicked, poll, report);
    }

    /**
     * The same times but for {@link #kicked()}.
     *
     * @param given more than 0
     * @return other timings
     */
    public Timings withKicked(Duration given) {
        return new Timings(request, stale, negative, retryMin, retryMax, given, poll, report);
    }

    /**
     * The same times but for {@link #poll()}.
     *
     * @param given more than 0
     * @return other timings
     */
    public Timings withPoll(Duration given) {
        return new Timings(request, stale, negative, retryMin, retryMax, kicked, given, report);
    }

    /**
     * The same times but for {@link #report()}.
     *
     * @param given more than 0
     * @return other timings
     */
    public Timings withReport(Duration given) {
        return new Timings(request, stale, negative, retryMin, retryMax, kicked, poll, given);
    }

    /** These, unless one is missing or not more than 0. */
    Timings checked() {
        for (Duration each : new Duration[] {request, stale, negative, retryMin, retryMax, kicked, poll, report}) {
            if (each == null || each.isZero() || each.isNegative()) {
                throw new InvalidException("Each of the timings must be given, and more than 0.");
            }
        }
        return this;
    }
}
