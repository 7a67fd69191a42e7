package dev.promptdeck;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Function;

/** The disk cache, worked on in order by a thread of its own; what comes of it is told on the loop. */
final class Disk {
    private final DiskCache cache;
    private final Path folder;
    private final Loop loop;
    private final Events events;
    private final ThreadPoolExecutor thread = Threads.pool("disk", 1);
    /** One error says it all. */
    private boolean isTold;

    Disk(ClientOptions options, Loop loop, Events events) {
        this.cache = new DiskCache(options);
        this.folder = options.cacheDir();
        this.loop = loop;
        this.events = events;
    }

    /** Never fails: a folder that cannot be written is an event. */
    CompletableFuture<Void> write(Prompt prompt) {
        return change(() -> {
            cache.write(prompt);
            return null;
        });
    }

    /** Never fails: a folder that cannot be written is an event. */
    CompletableFuture<Void> delete(String key) {
        return change(() -> {
            cache.delete(key);
            return null;
        });
    }

    /** The copy, or null. */
    CompletableFuture<Prompt> read(String key) {
        return onLoop(() -> cache.read(key), error -> null);
    }

    CompletableFuture<Boolean> isEmpty() {
        return onLoop(cache::isEmpty, error -> true);
    }

    /** Ends the thread after what is under way. */
    void close() {
        thread.shutdown();
    }

    private CompletableFuture<Void> change(Callable<Void> work) {
        return onLoop(work, error -> {
            if (!isTold) {
                events.emit(new InvalidException("Copies of prompts cannot be kept in " + folder + " ("
                        + error.getMessage() + "). Give a cacheDir that can be written.", error));
            }
            isTold = true;
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
            // Only after close(), when nobody waits for it any more.
            result.complete(otherwise.apply(e));
        }
        return result;
    }
}
