package dev.promptdeck;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Consumer;

/**
 * Delivers events to listeners in order, on a separate thread: a listener that blocks or calls the client delays only
 * other listeners.
 */
final class Events {
    private static final System.Logger LOG = System.getLogger("dev.promptdeck");

    private record Registration<T>(Class<T> type, Consumer<? super T> listener) {
        void deliver(Object event) {
            if (type.isInstance(event)) listener.accept(type.cast(event));
        }
    }

    private final List<Registration<?>> registrations = new CopyOnWriteArrayList<>();
    private final ThreadPoolExecutor thread = Threads.pool("events", 1);
    private volatile boolean isClosed;

    <T> Subscription on(Class<T> type, Consumer<? super T> listener) {
        if (listener == null) throw new InvalidException("The listener must not be null.");
        Registration<T> registration = new Registration<>(type, listener);
        registrations.add(registration);
        return () -> registrations.removeIf(other -> other == registration);
    }

    void emit(Object event) {
        if (isClosed || registrations.isEmpty()) return;
        try {
            thread.execute(() -> registrations.forEach(registration -> deliver(registration, event)));
        } catch (RejectedExecutionException e) {
            LOG.log(System.Logger.Level.TRACE, "The client is closed: an event is ignored");
        }
    }

    private void deliver(Registration<?> registration, Object event) {
        if (isClosed) return;
        try {
            registration.deliver(event);
        } catch (Throwable e) {
            // Also an error, and a checked exception, which other languages of the JVM do not declare.
            LOG.log(System.Logger.Level.WARNING, "A listener of the Promptdeck client failed", e);
        }
    }

    /** Completes once all events so far are delivered. */
    CompletableFuture<Void> delivered() {
        return CompletableFuture.runAsync(() -> {}, thread);
    }

    void close() {
        isClosed = true;
        thread.getQueue().clear();
        thread.shutdown();
        registrations.clear();
    }
}
