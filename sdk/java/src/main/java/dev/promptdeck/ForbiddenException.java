package dev.promptdeck;

/** The token may not do that (403). */
public final class ForbiddenException extends PromptdeckException {
    private static final long serialVersionUID = 1L;

    ForbiddenException(String message) {
        super("Forbidden", message, null);
    }

    ForbiddenException(String message, Throwable cause) {
        super("Forbidden", message, cause);
    }
}
