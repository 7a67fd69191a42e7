package dev.promptdeck;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The only thread that uses the state of a client, so that no locks are needed. Tasks run one after the other and
 * must not block.
 */
final class Loop implements Executor {
    private static final System.Logger LOG = System.getLogger("dev.promptdeck");
    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, Threads.named("loop"));

    Loop() {
        executor.setRemoveOnCancelPolicy(true);
    }

    /** Runs a task on the loop. After the loop was closed, the task is ignored. */
    @Override
    public void execute(Runnable task) {
        try {
            executor.execute(guarded(task));
        } catch (RejectedExecutionException e) {
            LOG.log(System.Logger.Level.TRACE, "The client is closed: a late task is ignored");
        }
    }

    /** Runs a task after the delay, unless it is cancelled before. */
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

    /** Logs what a task throws, because an executor would ignore it. */
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
