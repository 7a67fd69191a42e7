package dev.promptdeck;

/** Runs went unreported: more came than the queue holds while the service took none. Only told as an event. */
public final class DroppedException extends PromptdeckException {
    private static final long serialVersionUID = 1L;

    /** Runs since the last such event. */
    private final int count;

    DroppedException(int count) {
        super("Dropped", count + " runs were dropped: the queue of unreported runs is full. See whether the service"
                + " can be reached, or report fewer runs.", null);
        this.count = count;
    }

    /**
     * How many runs were dropped since the last such event.
     *
     * @return at least 1
     */
    public int count() {
        return count;
    }
}
