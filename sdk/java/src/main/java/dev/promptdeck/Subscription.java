package dev.promptdeck;

/** A listener that listens. */
@FunctionalInterface
public interface Subscription extends AutoCloseable {
    /** Stops listening. A second call does nothing. */
    @Override
    void close();
}
