package dev.promptdeck;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Runs calls of application threads on the loop. Waiting is limited by the timeout, and ends when the client is
 * closed.
 */
final class Calls {
    /**
     * The loop enforces the timeout; the extra time covers a delayed loop, such as after the computer was suspended.
     */
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

    /** Returns the result; throws a {@link PromptdeckException}. */
    <T> T await(Supplier<CompletableFuture<T>> work) {
        requireOpen();
        return get(start(work), limit.plus(GRACE));
    }

    /**
     * Waits for the work. If it has a partial result at the timeout, returns then, and the work continues.
     *
     * @param hasPartialResult called on any thread
     */
    void awaitUntilTimeout(Supplier<CompletableFuture<Void>> work, BooleanSupplier hasPartialResult) {
        requireOpen();
        CompletableFuture<Void> result = start(work);
        loop.execute(() -> loop.after(limit, () -> {
            if (hasPartialResult.getAsBoolean()) result.complete(null);
        }));
        try {
            get(result, limit.plus(GRACE));
        } catch (UnavailableException e) {
            boolean isLate = e.getCause() instanceof TimeoutException;
            if (!isLate || !hasPartialResult.getAsBoolean()) throw e;
        }
    }

    /** Returns a future of the result. Its dependents never run on a thread of the client. */
    <T> CompletableFuture<T> promise(Supplier<CompletableFuture<T>> work) {
        requireOpen();
        CompletableFuture<T> promised = new CompletableFuture<>();
        start(work).whenCompleteAsync((value, error) -> {
            if (error == null) promised.complete(value);
            else promised.completeExceptionally(Failures.of(error));
        });
        return promised;
    }

    /** Closes after a last task, which may take until the timeout. Returns false if it was already closed. */
    boolean close(Supplier<CompletableFuture<Void>> last) {
        if (!isClosed.compareAndSet(false, true)) return false;
        open.forEach(call -> call.completeExceptionally(closed()));
        finish(last);
        return true;
    }

    /** Waits for a step of closing; a failure or a timeout of it is ignored. */
    void finish(Supplier<? extends CompletableFuture<?>> step) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        loop.execute(() -> step.get().whenComplete((value, error) -> done.complete(null)));
        boolean wasInterrupted = false;
        try {
            done.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            wasInterrupted = true;
        } catch (ExecutionException | TimeoutException e) {
            System.getLogger("dev.promptdeck").log(System.Logger.Level.DEBUG, "A step of closing failed", e);
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
        // Closed while the work was being started: no other code would complete it.
        if (isClosed.get()) result.completeExceptionally(closed());
        return result;
    }

    private <T> T get(CompletableFuture<T> result, Duration max) {
        try {
            return result.get(max.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw Failures.here(Failures.of(e.getCause()));
        } catch (TimeoutException e) {
            throw new UnavailableException(
                    "No result within " + max.toMillis() + " ms. Check that the service is running.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("The thread was interrupted while waiting.", e);
        } finally {
            open.remove(result);
        }
    }

    static ClosedException closed() {
        return new ClosedException("The client is closed. Create a new one.");
    }
}
