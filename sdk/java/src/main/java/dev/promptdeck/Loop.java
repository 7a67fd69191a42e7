package dev.promptdeck;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The one thread that all state of a client is confined to: no locks, and things happen one after the other. Nothing on
 * it may block.
 */
final class Loop implements Executor {
    private static final System.Logger LOG = System.getLogger("dev.promptdeck");
    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, Threads.named("loop"));

    Loop() {
        executor.setRemoveOnCancelPolicy(true);
    }

    /** After the loop was closed, nothing is done. */
    @Override
    public void execute(Runnable task) {
        try {
            executor.execute(guarded(task));
        } catch (RejectedExecutionException e) {
            LOG.log(System.Logger.Level.TRACE, "The client is closed: a late task is left out");
        }
    }

    /** Does it once that time is over, unless cancelled before. */
    Future<?> after(Duration delay, Runnable task) {
        try {
            return executor.schedule(guarded(task), delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(null);
        }
    }

    void close() {
        executor.shutdownNow();
    }

    /** An executor would keep what a task throws to itself. */
    private static Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "A task of the Promptdeck client failed", e);
            }
        };
    }
}
