package dev.promptdeck;

/** The token has no permission for the request (403). */
public final class ForbiddenException extends PromptdeckException {
    private static final long serialVersionUID = 1L;

    ForbiddenException(String message) {
        super("Forbidden", message, null);
    }

    ForbiddenException(String message, Throwable cause) {
        super("Forbidden", message, cause);
    }
}
