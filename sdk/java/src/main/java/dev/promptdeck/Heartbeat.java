package dev.promptdeck;

import java.time.Duration;
import java.util.concurrent.Future;

/** Sends pings and closes a connection without a reply, because a dead peer does not close it. On the loop. */
final class Heartbeat {
    private static final double DEFAULT_SECONDS = 25;
    private static final Duration SHORTEST = Duration.ofMillis(10);
    /**
     * Java's WebSocket misses a few percent of connection ends that directly follow a frame. So after frames, once
     * none arrives for this long, two pings are sent: writing to a closed peer fails the second time.
     */
    private static final Duration QUIET = Duration.ofSeconds(1);

    private static final Duration AGAIN = Duration.ofMillis(250);

    private final LiveSocket socket;
    private final Loop loop;
    private final Duration pause;
    private final Duration limit;
    private long heardAt = System.nanoTime();
    private Future<?> next;
    private Future<?> probe;

    /**
     * Starts the pings.
     *
     * @param seconds interval of pings; 0 if the service named none
     * @param limit time for the reply to a ping that is sent after {@link #QUIET}
     */
    Heartbeat(LiveSocket socket, double seconds, Duration limit, Loop loop) {
        this.socket = socket;
        this.loop = loop;
        this.limit = limit;
        Duration given = Duration.ofNanos((long) ((seconds > 0 ? seconds : DEFAULT_SECONDS) * 1e9));
        this.pause = given.compareTo(SHORTEST) < 0 ? SHORTEST : given;
        waitFor(pause);
    }

    void heard() {
        heardAt = System.nanoTime();
    }

    /** Handles a frame with content, which may have been the last one before the end. */
    void heardNews() {
        heard();
        if (probe == null && pause.compareTo(QUIET) > 0) probe = loop.after(QUIET, this::askOnceQuiet);
    }

    void stop() {
        next.cancel(false);
        if (probe != null) probe.cancel(false);
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

    private void askOnceQuiet() {
        long left = QUIET.toNanos() - (System.nanoTime() - heardAt);
        if (left > 0) {
            probe = loop.after(Duration.ofNanos(left), this::askOnceQuiet);
            return;
        }
        long askedAt = System.nanoTime();
        socket.ping();
        probe = loop.after(AGAIN, () -> {
            if (isAnswered(askedAt)) return;
            socket.ping();
            probe = loop.after(limit, () -> {
                if (!isAnswered(askedAt)) socket.cut("A ping was not answered within " + limit.toMillis() + " ms");
            });
        });
    }

    private boolean isAnswered(long askedAt) {
        if (heardAt - askedAt <= 0) return false;
        probe = null;
        return true;
    }
}
