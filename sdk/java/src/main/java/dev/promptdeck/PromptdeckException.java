package dev.promptdeck;

/** Base class of all errors of this client. A message names what to do, and never contains a token. */
public class PromptdeckException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Stable identifier, for use in programs. */
    private final String code;

    PromptdeckException(String code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /**
     * Returns the stable name of this kind of error.
     *
     * @return {@code Invalid}, {@code NotFound}, {@code Unauthorized}, {@code Forbidden}, {@code Unavailable}, {@code
     *     Closed} or {@code Dropped}
     */
    public final String code() {
        return code;
    }
}
