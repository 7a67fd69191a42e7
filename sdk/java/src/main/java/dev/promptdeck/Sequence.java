package dev.promptdeck;

import java.time.Duration;

/** How far the events of the service were heard. */
final class Sequence {
    private long highest = KeyState.NONE;
    /** What a replay goes up to; {@link KeyState#NONE} when nothing is replayed. */
    private long replayUntil = KeyState.NONE;
    private long helloAt;

    /** What to ask events from; null for the first connection. */
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

    void heard(long seq) {
        highest = Math.max(highest, seq);
        if (seq >= replayUntil) replayUntil = KeyState.NONE;
    }

    void restart(long seq) {
        highest = seq;
        replayUntil = KeyState.NONE;
    }

    /**
     * Whether what came between two connections was told. The hello counts as heard of, but the events before it follow
     * it: a connection that ended right after its hello may have lost them.
     */
    boolean isReplayed(Duration enough) {
        return replayUntil == KeyState.NONE || System.nanoTime() - helloAt > enough.toNanos();
    }
}
