package dev.promptdeck;

import java.time.Duration;
import java.util.concurrent.Future;

/** Asks for a sign of life, and cuts a connection that gives none: a dead peer closes nothing by itself. */
final class Heartbeat {
    private static final double DEFAULT_SECONDS = 25;
    private static final Duration SHORTEST = Duration.ofMillis(10);

    private final LiveSocket socket;
    private final Loop loop;
    private final Duration pause;
    private long heardAt = System.nanoTime();
    private Future<?> next;

    /**
     * Starts.
     *
     * @param seconds between two signs; 0 when the service did not say
     */
    Heartbeat(LiveSocket socket, double seconds, Loop loop) {
        this.socket = socket;
        this.loop = loop;
        Duration given = Duration.ofNanos((long) ((seconds > 0 ? seconds : DEFAULT_SECONDS) * 1e9));
        this.pause = given.compareTo(SHORTEST) < 0 ? SHORTEST : given;
        waitFor(pause);
    }

    void heard() {
        heardAt = System.nanoTime();
    }

    void stop() {
        next.cancel(false);
    }

    private void waitFor(Duration time) {
        next = loop.after(time, this::beat);
    }

    private void beat() {
        if (System.nanoTime() - heardAt >= 2 * pause.toNanos()) {
            socket.cut("Nothing was heard for " + 2 * pause.toMillis() + " ms");
            return;
        }
        socket.send(Frames.PING);
        waitFor(pause);
    }
}
