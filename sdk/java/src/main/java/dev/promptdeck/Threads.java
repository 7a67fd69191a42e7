package dev.promptdeck;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads of clients: daemons, so that none keeps an application alive, and gone when they are idle. */
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

    /** At most that many threads; with one, tasks run in the order they came. */
    static ThreadPoolExecutor pool(String purpose, int most) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(most, most, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), named(purpose));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
