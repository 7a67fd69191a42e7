package dev.promptdeck;

/** Nothing is served under that key. */
public final class NotFoundException extends PromptdeckException {
    private static final long serialVersionUID = 1L;

    NotFoundException(String message) {
        super("NotFound", message, null);
    }

    NotFoundException(String message, Throwable cause) {
        super("NotFound", message, cause);
    }
}
