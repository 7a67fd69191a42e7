package dev.promptdeck;

import java.time.Duration;

/** Position in the service's sequence of events. */
final class Sequence {
    private long highest = KeyState.NONE;
    /** Last event of the replay; {@link KeyState#NONE} without a replay. */
    private long replayUntil = KeyState.NONE;
    private long helloAt;

    /** Returns the position from which to resume; null for the first connection. */
    Long since() {
        return highest == KeyState.NONE ? null : highest;
    }

    long newest() {
        return highest;
    }

    void hello(long seq) {
        replayUntil = highest != KeyState.NONE && seq > highest ? seq : KeyState.NONE;
        helloAt = System.nanoTime();
        highest = Math.max(highest, seq);
    }

    void received(long seq) {
        highest = Math.max(highest, seq);
        if (seq >= replayUntil) replayUntil = KeyState.NONE;
    }

    void restart(long seq) {
        highest = seq;
        replayUntil = KeyState.NONE;
    }

    /**
     * Returns true if the events between two connections were received. The hello names the newest event, but missed
     * events follow it: a connection that ended right after its hello may have lost them.
     */
    boolean isReplayed(Duration enough) {
        return replayUntil == KeyState.NONE || System.nanoTime() - helloAt > enough.toNanos();
    }
}
