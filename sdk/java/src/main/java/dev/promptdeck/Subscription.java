package dev.promptdeck;

/** A registered listener. */
@FunctionalInterface
public interface Subscription extends AutoCloseable {
    /** Removes the listener. A second call does nothing. */
    @Override
    void close();
}
