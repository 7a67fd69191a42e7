package dev.promptdeck.conformance;

/** An exception of a wrapped call, reported to the harness as such. */
final class Thrown extends Exception {
    private static final long serialVersionUID = 1L;

    Thrown(Throwable cause) {
        super(cause.getMessage(), cause);
    }
}
