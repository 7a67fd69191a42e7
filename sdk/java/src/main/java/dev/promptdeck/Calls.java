package dev.promptdeck;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** From the application's threads to the loop and back: waits no longer than allowed, and not at all once closed. */
final class Calls {
    /** The loop itself keeps the time-out; this is for a loop that is held up, as by a computer that slept. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final Loop loop;
    private final Duration limit;
    private final Set<CompletableFuture<?>> open = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    Calls(Loop loop, Duration limit) {
        this.loop = loop;
        this.limit = limit;
    }

    void requireOpen() {
        if (isClosed.get()) throw closed();
    }

    /** The result; throws a {@link PromptdeckException}. */
    <T> T await(Supplier<CompletableFuture<T>> work) {
        requireOpen();
        return get(start(work), limit.plus(GRACE));
    }

    /** Waits for it, or until the time-out is over; then it goes on by itself. */
    void awaitUntilTimeout(Supplier<CompletableFuture<Void>> work) {
        requireOpen();
        CompletableFuture<Void> result = start(work);
        loop.execute(() -> loop.after(limit, () -> result.complete(null)));
        get(result, limit.plus(GRACE));
    }

    /** The result for an application that does not wait. What it does next never runs on a thread of the client. */
    <T> CompletableFuture<T> promise(Supplier<CompletableFuture<T>> work) {
        requireOpen();
        CompletableFuture<T> promised = new CompletableFuture<>();
        start(work).whenCompleteAsync((value, error) -> {
            if (error == null) promised.complete(value);
            else promised.completeExceptionally(Failures.of(error));
        });
        return promised;
    }

    /** Closes, after some last work that may take until the time-out; false when that was done before. */
    boolean close(Supplier<CompletableFuture<Void>> last) {
        if (!isClosed.compareAndSet(false, true)) return false;
        open.forEach(each -> each.completeExceptionally(closed()));
        finish(last);
        return true;
    }

    /** Waits for a step of the end; one that fails or takes too long is not waited for. */
    void finish(Supplier<? extends CompletableFuture<?>> step) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        loop.execute(() -> step.get().whenComplete((value, error) -> done.complete(null)));
        boolean wasInterrupted = false;
        try {
            done.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            wasInterrupted = true;
        } catch (ExecutionException | TimeoutException e) {
            System.getLogger("dev.promptdeck").log(System.Logger.Level.DEBUG, "Closing went on without a step", e);
        }
        if (wasInterrupted) Thread.currentThread().interrupt();
    }

    private <T> CompletableFuture<T> start(Supplier<CompletableFuture<T>> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        open.add(result);
        result.whenComplete((value, error) -> open.remove(result));
        loop.execute(() -> work.get().whenComplete((value, error) -> {
            if (error == null) result.complete(value);
            else result.completeExceptionally(error);
        }));
        // Closed while it was started: nobody else would end it.
        if (isClosed.get()) result.completeExceptionally(closed());
        return result;
    }

    private <T> T get(CompletableFuture<T> result, Duration most) {
        try {
            return result.get(most.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw Failures.here(Failures.of(e.getCause()));
        } catch (TimeoutException e) {
            throw new UnavailableException("No answer within " + most.toMillis() + " ms. See that the service runs.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("The thread was interrupted while it waited.", e);
        } finally {
            open.remove(result);
        }
    }

    private static ClosedException closed() {
        return new ClosedException("The client is closed. Make another one.");
    }
}
