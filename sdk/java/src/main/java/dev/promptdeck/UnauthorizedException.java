package dev.promptdeck;

/** The service does not know the token (401). */
public final class UnauthorizedException extends PromptdeckException {
    private static final long serialVersionUID = 1L;

    UnauthorizedException(String message) {
        super("Unauthorized", message, null);
    }

    UnauthorizedException(String message, Throwable cause) {
        super("Unauthorized", message, cause);
    }
}
