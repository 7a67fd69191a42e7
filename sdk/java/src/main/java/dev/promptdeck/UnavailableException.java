package dev.promptdeck;

/** The service cannot be reached, or cannot answer now, and nothing known could be served instead. */
public final class UnavailableException extends PromptdeckException {
    private static final long serialVersionUID = 1L;

    UnavailableException(String message) {
        super("Unavailable", message, null);
    }

    UnavailableException(String message, Throwable cause) {
        super("Unavailable", message, cause);
    }
}
