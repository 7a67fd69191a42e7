package dev.promptdeck;

import java.util.List;
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

    private record Listening<T>(Class<T> type, Consumer<? super T> listener) {
        void tell(Object event) {
            if (type.isInstance(event)) listener.accept(type.cast(event));
        }
    }

    private final List<Listening<?>> listenings = new CopyOnWriteArrayList<>();
    private final ThreadPoolExecutor thread = Threads.pool("events", 1);
    private volatile boolean isClosed;

    <T> Subscription on(Class<T> type, Consumer<? super T> listener) {
        if (listener == null) throw new InvalidException("A listener must be given.");
        Listening<T> listening = new Listening<>(type, listener);
        listenings.add(listening);
        return () -> listenings.removeIf(each -> each == listening);
    }

    void emit(Object event) {
        if (isClosed || listenings.isEmpty()) return;
        try {
            thread.execute(() -> listenings.forEach(each -> tell(each, event)));
        } catch (RejectedExecutionException e) {
            LOG.log(System.Logger.Level.TRACE, "The client is closed: an event is left out");
        }
    }

    private void tell(Listening<?> listening, Object event) {
        if (isClosed) return;
        try {
            listening.tell(event);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "A listener of the Promptdeck client failed", e);
        }
    }

    void close() {
        isClosed = true;
        thread.getQueue().clear();
        thread.shutdown();
        listenings.clear();
    }
}
