package dev.promptdeck;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** State of one key, without its prompt. Used only on the loop. */
final class KeyState {
    /** No event: sequence numbers start at 0. */
    static final long NONE = -1;

    /** A fetch in progress. */
    static final class PendingFetch {
        final CompletableFuture<Fetched> result = new CompletableFuture<>();
        /** The newest event that the fetch covers, to be acknowledged. */
        long seq = NONE;
        /** True if the result may be outdated by a deletion: the key is fetched once more. */
        boolean isOutdated;
        /** True if no caller waits: the result is announced, even if there was nothing in memory before. */
        boolean isBackground;
        /** True if it was sent while the live connection was open, so that later changes are announced. */
        boolean isCovered;
        String secret;
    }

    /** An acknowledgement. */
    record Acknowledgement(long seq, String version) {}

    final String key;
    final Backoff backoff;
    boolean isWatched;
    PendingFetch pendingFetch;
    /** True if the key changed during the fetch. */
    boolean isAgain;
    /** True if a change is not fetched yet; fetches are repeated until one succeeds. */
    boolean isDirty;
    /** True if the live connection announces each change since the last fetch. */
    boolean isCovered;
    /** The last acknowledgement on this connection, or null. */
    Acknowledgement lastAck;
    /** True if the service does not know yet that the application runs the version in memory. */
    boolean isUnacknowledged;
    /** True after a NotFound result or a deletion; with nothing in memory since, a new prompt is also an update. */
    boolean wasReportedMissing;
    /** The newest received event, and the newest unacknowledged one. */
    long seenSeq = NONE;
    long openSeq = NONE;
    Future<?> retry;

    private NotFoundException missing;
    private long missingSince;
    private long requestAgainAt;
    private PromptdeckException failure;
    private long retryAt;

    KeyState(String key, Timings timings) {
        this.key = key;
        this.backoff = new Backoff(timings);
    }

    /** Returns the last NotFound result, unless a newer reply or event replaced it. */
    NotFoundException missing() {
        return missing;
    }

    void setMissing(NotFoundException error, Duration forTime) {
        clear();
        missing = error;
        wasReportedMissing = true;
        missingSince = System.nanoTime();
        requestAgainAt = missingSince + forTime.toNanos();
    }

    /** Returns true if the NotFound result is newer than that {@link System#nanoTime()}. */
    boolean isMissingSince(long time) {
        return missing != null && missingSince - time > 0;
    }

    boolean isKnownMissing() {
        return missing != null && requestAgainAt - System.nanoTime() > 0;
    }

    /** Returns the error of the last fetch during the backoff, else null. */
    PromptdeckException failure() {
        return failure != null && retryAt - System.nanoTime() > 0 ? failure : null;
    }

    /** Returns the rest of the backoff. */
    Duration untilRetry() {
        return Duration.ofNanos(failure == null ? 0 : Math.max(0, retryAt - System.nanoTime()));
    }

    void fail(Fetched fetched) {
        failure = fetched.error();
        long pause = Math.max(backoff.fail().toNanos(), fetched.retryAfter().toNanos());
        retryAt = System.nanoTime() + pause;
    }

    boolean isRejected() {
        return failure instanceof UnauthorizedException || failure instanceof ForbiddenException;
    }

    /** Clears errors after a reply, or when they are outdated. */
    void clear() {
        missing = null;
        failure = null;
        backoff.reset();
        if (retry != null) retry.cancel(false);
        retry = null;
    }

    /** Returns true if the state can be removed without loss. */
    boolean isIdle() {
        return !isWatched && pendingFetch == null && !isDirty && !isKnownMissing() && failure() == null;
    }
}
