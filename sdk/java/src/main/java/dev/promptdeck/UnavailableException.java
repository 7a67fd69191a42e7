package dev.promptdeck;

/** The service is not reachable or not able to reply, and there is no copy to serve. */
public final class UnavailableException extends PromptdeckException {
    private static final long serialVersionUID = 1L;

    UnavailableException(String message) {
        super("Unavailable", message, null);
    }

    UnavailableException(String message, Throwable cause) {
        super("Unavailable", message, cause);
    }
}
