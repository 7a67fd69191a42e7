package dev.promptdeck;

/** An option, an argument or a run is invalid. A retry does not help. */
public final class InvalidException extends PromptdeckException {
    private static final long serialVersionUID = 1L;

    InvalidException(String message) {
        super("Invalid", message, null);
    }

    InvalidException(String message, Throwable cause) {
        super("Invalid", message, cause);
    }
}
