package dev.promptdeck;

/** The client is closed. */
public final class ClosedException extends PromptdeckException {
    private static final long serialVersionUID = 1L;

    ClosedException(String message) {
        super("Closed", message, null);
    }

    ClosedException(String message, Throwable cause) {
        super("Closed", message, cause);
    }
}
