package dev.promptdeck;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Runs operations of the disk cache in order on a separate thread. Results arrive on the loop. */
final class Disk {
    private final DiskCache cache;
    private final Path folder;
    private final Loop loop;
    private final Events events;
    private final ThreadPoolExecutor thread = Threads.pool("disk", 1);
    /** True after the first error event; further errors are not reported. */
    private boolean isReported;

    Disk(ClientOptions options, Loop loop, Events events) {
        this.cache = new DiskCache(options);
        this.folder = options.cacheDir();
        this.loop = loop;
        this.events = events;
    }

    /** Writes a copy. Never fails: an unwritable folder leads to an error event. */
    CompletableFuture<Void> write(Prompt prompt) {
        return change(() -> {
            cache.write(prompt);
            return null;
        });
    }

    /** Deletes a copy. Never fails: an unwritable folder leads to an error event. */
    CompletableFuture<Void> delete(String key) {
        return change(() -> {
            cache.delete(key);
            return null;
        });
    }

    /** Returns the copy, or null. */
    CompletableFuture<Prompt> read(String key) {
        return onLoop(() -> cache.read(key), error -> null);
    }

    CompletableFuture<Boolean> isEmpty() {
        return onLoop(cache::isEmpty, error -> true);
    }

    /** Ends the thread after pending work, and waits for it: an app may exit or delete the folder afterwards. */
    void close(Duration timeout) {
        thread.shutdown();
        try {
            thread.awaitTermination(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private CompletableFuture<Void> change(Callable<Void> work) {
        return onLoop(work, error -> {
            if (!isReported) {
                events.emit(new InvalidException("Prompts cannot be cached in " + folder + " ("
                        + error.getMessage() + "). Set cacheDir to a writable folder.", error));
            }
            isReported = true;
            return null;
        });
    }

    private <T> CompletableFuture<T> onLoop(Callable<T> work, Function<Exception, T> otherwise) {
        CompletableFuture<T> result = new CompletableFuture<>();
        try {
            thread.execute(() -> {
                try {
                    T value = work.call();
                    loop.execute(() -> result.complete(value));
                } catch (Exception e) {
                    loop.execute(() -> result.complete(otherwise.apply(e)));
                }
            });
        } catch (RejectedExecutionException e) {
            // Happens only after close(), when no caller waits for the result.
            result.complete(otherwise.apply(e));
        }
        return result;
    }
}
