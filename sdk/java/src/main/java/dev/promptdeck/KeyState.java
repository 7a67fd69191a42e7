package dev.promptdeck;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** What is known of one key, apart from its prompt. Only touched on the loop. */
final class KeyState {
    /** No event: numbers start at 0. */
    static final long NONE = -1;

    /** A fetch under way. */
    static final class Flight {
        final CompletableFuture<Fetched> result = new CompletableFuture<>();
        /** The newest event it answers, to be acknowledged. */
        long seq = NONE;
        /** What it brings may have been deleted meanwhile: it is asked once more. */
        boolean isOutdated;
        /** Nobody waits for it: what it brings is told, also when nothing was held before. */
        boolean isNews;
        /** It was sent while the live connection was up, so that later changes are told. */
        boolean isCovered;
        String secret;
    }

    /** An acknowledgement. */
    record Told(long seq, String version) {}

    final String key;
    final Backoff backoff;
    boolean isWatched;
    Flight flight;
    /** Something changed while it was being fetched. */
    boolean isAgain;
    /** A change is not fetched yet: it is tried until it is. */
    boolean isDirty;
    /** Each change since the last fetch is told by the live connection. */
    boolean isCovered;
    /** What the service was told last over this connection; null for nothing. */
    Told told;
    /** The service does not know yet that this application has what is held. */
    boolean isUntold;
    /** The application was told once that there is no such prompt: with nothing held since, what comes again is an update, too. */
    boolean wasToldGone;
    /** The newest event heard of, and the newest not acknowledged. */
    long seenSeq = NONE;
    long openSeq = NONE;
    Future<?> retry;

    private NotFoundException missing;
    private long missingSince;
    private long askAgainAt;
    private PromptdeckException failure;
    private long retryAt;

    KeyState(String key, Timings timings) {
        this.key = key;
        this.backoff = new Backoff(timings);
    }

    /** The service said that there is no such prompt, and has not said otherwise. */
    NotFoundException missing() {
        return missing;
    }

    void setMissing(NotFoundException error, Duration forTime) {
        clear();
        missing = error;
        wasToldGone = true;
        missingSince = System.nanoTime();
        askAgainAt = missingSince + forTime.toNanos();
    }

    /** Whether the service said so after that time of {@link System#nanoTime()}. */
    boolean isMissingSince(long time) {
        return missing != null && missingSince - time > 0;
    }

    boolean isKnownMissing() {
        return missing != null && askAgainAt - System.nanoTime() > 0;
    }

    /** Why the last fetch failed, while it is too early for another; else null. */
    PromptdeckException failure() {
        return failure != null && retryAt - System.nanoTime() > 0 ? failure : null;
    }

    /** Not more than the pause that is due. */
    Duration untilRetry() {
        return Duration.ofNanos(failure == null ? 0 : Math.max(0, retryAt - System.nanoTime()));
    }

    void fail(PromptdeckException error) {
        failure = error;
        retryAt = System.nanoTime() + backoff.fail().toNanos();
    }

    boolean isRefused() {
        return failure instanceof UnauthorizedException || failure instanceof ForbiddenException;
    }

    /** The service answered, or what it said no longer counts. */
    void clear() {
        missing = null;
        failure = null;
        backoff.reset();
        if (retry != null) retry.cancel(false);
        retry = null;
    }

    /** Nothing would be lost with it. */
    boolean isIdle() {
        return !isWatched && flight == null && !isDirty && !isKnownMissing() && failure() == null;
    }
}
