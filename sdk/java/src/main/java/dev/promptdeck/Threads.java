package dev.promptdeck;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads of clients: daemons, so that none keeps an application alive; they end when idle. */
final class Threads {
    private static final AtomicInteger COUNT = new AtomicInteger();

    private Threads() {}

    static ThreadFactory named(String purpose) {
        return task -> {
            Thread thread = new Thread(task, "promptdeck-" + purpose + "-" + COUNT.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Creates a pool with at most that many threads; with one, tasks run in order. */
    static ThreadPoolExecutor pool(String purpose, int size) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(size, size, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), named(purpose));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
