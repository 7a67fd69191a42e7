package dev.promptdeck;

import java.util.concurrent.atomic.AtomicBoolean;

/** Runs a task when the JVM ends, unless it is removed before. */
final class ExitHook {
    private static final System.Logger LOG = System.getLogger("dev.promptdeck");
    private final Thread thread;
    private final AtomicBoolean isAdded = new AtomicBoolean();

    ExitHook(Runnable task) {
        this.thread = new Thread(task, "promptdeck-exit");
    }

    void add() {
        if (isAdded.compareAndSet(false, true)) change(() -> Runtime.getRuntime().addShutdownHook(thread));
    }

    void remove() {
        if (isAdded.get()) change(() -> Runtime.getRuntime().removeShutdownHook(thread));
    }

    private static void change(Runnable change) {
        try {
            change.run();
        } catch (IllegalStateException e) {
            LOG.log(System.Logger.Level.TRACE, "The JVM ends already");
        }
    }
}
