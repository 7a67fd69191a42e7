package dev.promptdeck.conformance;

/** What a wrapped call threw, to be answered as such. */
final class Thrown extends Exception {
    private static final long serialVersionUID = 1L;

    Thrown(Throwable cause) {
        super(cause.getMessage(), cause);
    }
}
