package dev.promptdeck;

/** What all errors of this client derive from. A message says what to do, and never holds a token. */
public class PromptdeckException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Stable, for a program. */
    private final String code;

    PromptdeckException(String code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /**
     * The stable name of this kind of error.
     *
     * @return {@code Invalid}, {@code NotFound}, {@code Unauthorized}, {@code Forbidden}, {@code Unavailable}, {@code
     *     Closed} or {@code Dropped}
     */
    public final String code() {
        return code;
    }
}
