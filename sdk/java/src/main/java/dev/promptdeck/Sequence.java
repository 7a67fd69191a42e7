package dev.promptdeck;

import java.time.Duration;

/** Position in the service's sequence of events. */
final class Sequence {
    private long highest = KeyState.NONE;
    /** Number of a hello whose missed events may not all have arrived yet; {@link KeyState#NONE} without a replay. */
    private long replayEnd = KeyState.NONE;
    private long helloAt;

    /** Returns the position from which to resume; null for the first connection. */
    Long since() {
        return highest == KeyState.NONE ? null : highest;
    }

    long newest() {
        return Math.max(highest, replayEnd);
    }

    /** Missed events follow a hello. Until they have arrived, only the old position is safe to resume from. */
    void hello(long seq) {
        helloAt = System.nanoTime();
        if (highest == KeyState.NONE) highest = seq;
        else if (seq > highest) replayEnd = seq;
    }

    void received(long seq) {
        highest = Math.max(highest, seq);
        if (seq >= replayEnd) replayEnd = KeyState.NONE;
    }

    /** The service sends its pongs after the replay. */
    void pong() {
        if (replayEnd != KeyState.NONE) received(replayEnd);
    }

    void restart(long seq) {
        highest = seq;
        replayEnd = KeyState.NONE;
    }

    void ended() {
        replayEnd = KeyState.NONE;
    }

    /**
     * Returns true if the events between two connections were received. The hello names the newest event, but missed
     * events follow it: a connection that ended right after its hello may have lost them.
     */
    boolean isReplayed(Duration enough) {
        return replayEnd == KeyState.NONE || System.nanoTime() - helloAt > enough.toNanos();
    }
}
