package dev.promptdeck;

/** Runs were lost, because the queue was full while the service accepted none. Occurs only as an event. */
public final class DroppedException extends PromptdeckException {
    private static final long serialVersionUID = 1L;

    /** Number of runs since the previous such event. */
    private final int count;

    DroppedException(int count) {
        super("Dropped", count + " runs were dropped, because the queue of unsent runs is full. Check that the service"
                + " can be reached, or report fewer runs.", null);
        this.count = count;
    }

    /**
     * Returns how many runs were dropped since the previous such event.
     *
     * @return at least 1
     */
    public int count() {
        return count;
    }
}
