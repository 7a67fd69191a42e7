package dev.promptdeck;

import java.util.function.Consumer;

/** The listeners of a client. */
abstract class Listeners {
    abstract <T> Subscription on(Class<T> type, Consumer<? super T> listener);

    /**
     * Adds a listener for an opened live connection.
     *
     * @param listener called on a thread of the client
     * @return handle that removes the listener
     */
    public Subscription onConnect(Consumer<Connected> listener) {
        return on(Connected.class, listener);
    }

    /**
     * Adds a listener for an ended live connection.
     *
     * @param listener called on a thread of the client
     * @return handle that removes the listener
     */
    public Subscription onDisconnect(Consumer<Disconnected> listener) {
        return on(Disconnected.class, listener);
    }

    /**
     * Adds a listener for changes of prompts.
     *
     * @param listener called on a thread of the client
     * @return handle that removes the listener
     */
    public Subscription onUpdate(Consumer<Update> listener) {
        return on(Update.class, listener);
    }

    /**
     * Adds a listener for a resync, after which all prompts are fetched again.
     *
     * @param listener called on a thread of the client
     * @return handle that removes the listener
     */
    public Subscription onResync(Consumer<Resync> listener) {
        return on(Resync.class, listener);
    }

    /**
     * Adds a listener for errors in the background, which no call can throw.
     *
     * @param listener called on a thread of the client
     * @return handle that removes the listener
     */
    public Subscription onError(Consumer<PromptdeckException> listener) {
        return on(PromptdeckException.class, listener);
    }
}
