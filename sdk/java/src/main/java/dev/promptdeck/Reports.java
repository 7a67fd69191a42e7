package dev.promptdeck;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/**
 * Sends reported runs in batches, one request at a time, and retries until the service has stored them.
 * Used only on the loop.
 */
final class Reports {
    private record Flush(long until, CompletableFuture<Void> done) {}

    private final Http http;
    private final ErrorReplies errorReplies;
    private final Loop loop;
    private final Events events;
    private final Duration pause;
    private final Backoff backoff;
    private final Dropped dropped;
    private final RunQueue queue = new RunQueue();
    private final List<Flush> flushes = new ArrayList<>();
    private Future<?> timer;
    private Future<?> retry;
    /** Completes when the process may end; null while it runs. */
    private CompletableFuture<Void> last;
    private boolean isDue;
    private boolean isSending;
    /** Time on {@link System#nanoTime} before which the service asked for no request. */
    private long notBefore;

    Reports(Http http, ErrorReplies errorReplies, Loop loop, Events events, Timings timings) {
        this.http = http;
        this.errorReplies = errorReplies;
        this.loop = loop;
        this.events = events;
        this.pause = timings.report();
        this.backoff = new Backoff(timings);
        this.dropped = new Dropped(loop, events);
    }

    /** Returns the number of unsent runs. From any thread. */
    int size() {
        return queue.size();
    }

    void add(RunJson run) {
        if (queue.add(run)) dropped.add();
        next();
    }

    /** Sends queued runs without waiting for more or for the backoff; completes once all are stored or dropped. */
    CompletableFuture<Void> flush() {
        retryNow();
        Flush flush = new Flush(queue.accepted(), new CompletableFuture<>());
        flushes.add(flush);
        next();
        return flush.done();
    }

    /** Sends queued runs, because the process ends; completes once all are sent, or a request failed. */
    CompletableFuture<Void> sendLast() {
        if (retry != null) return CompletableFuture.completedFuture(null);
        Flush flush = new Flush(queue.accepted(), new CompletableFuture<>());
        flushes.add(flush);
        last = flush.done();
        next();
        return last;
    }

    /** Emits an event for dropped runs that no event has reported yet. */
    CompletableFuture<Void> reportDropped() {
        return dropped.report();
    }

    /** Ends the backoff, but not the wait that the service asked for. */
    void retryNow() {
        backoff.reset();
        if (retry == null) return;
        retry.cancel(false);
        retryAfter(Duration.ofNanos(notBefore - System.nanoTime()));
    }

    private void next() {
        flushes.removeIf(flush -> queue.finished() >= flush.until() && flush.done().complete(null));
        if (isSending || retry != null || queue.isEmpty()) return;
        if (!queue.hasBegun() && !queue.isFullRequest() && !isDue && flushes.isEmpty()) {
            waitForMore();
            return;
        }
        stopWaiting();
        send(queue.next());
    }

    private void waitForMore() {
        if (timer != null) return;
        timer = loop.after(pause, () -> {
            timer = null;
            isDue = true;
            next();
        });
    }

    private void stopWaiting() {
        isDue = false;
        if (timer != null) timer.cancel(false);
        timer = null;
    }

    private void send(List<RunJson> runs) {
        isSending = true;
        String body = runs.stream().map(RunJson::body).collect(Collectors.joining(",", "[", "]"));
        http.send("POST", "/api/runs", body, List.of()).whenComplete((reply, error) -> {
            isSending = false;
            if (error != null) retryLater(Duration.ZERO);
            else answered(runs, reply);
            next();
        });
    }

    private void answered(List<RunJson> runs, Reply reply) {
        if (reply.isStored()) {
            queue.finishBatch();
            backoff.reset();
            return;
        }
        if (!ErrorReplies.isRejected(reply.status())) {
            retryLater(RetryAfter.of(reply));
            return;
        }
        backoff.reset();
        if (reply.isAboutTime() && queue.removeTimes()) return;
        if (runs.size() > 1) {
            queue.split();
            return;
        }
        queue.finishBatch();
        events.emit(new InvalidException("The run " + runs.get(0).clientRunId() + " was rejected and dropped. Correct"
                + " its fields." + errorReplies.explanation(reply)));
    }

    private void retryLater(Duration requestedWait) {
        if (last != null) last.complete(null);
        notBefore = System.nanoTime() + requestedWait.toNanos();
        Duration due = backoff.fail();
        retryAfter(requestedWait.compareTo(due) > 0 ? requestedWait : due);
    }

    private void retryAfter(Duration wait) {
        retry = loop.after(wait, () -> {
            retry = null;
            next();
        });
    }
}
