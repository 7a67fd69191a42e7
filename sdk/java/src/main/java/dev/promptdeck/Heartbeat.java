package dev.promptdeck;

import java.time.Duration;
import java.util.concurrent.Future;

/** Sends pings, and ends a connection without replies, because a lost peer does not close it. Used only on the loop. */
final class Heartbeat {
    private static final double DEFAULT_SECONDS = 25;
    private static final Duration MIN_INTERVAL = Duration.ofMillis(10);
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
    private long receivedAt = System.nanoTime();
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
        Duration interval = Duration.ofNanos((long) ((seconds > 0 ? seconds : DEFAULT_SECONDS) * 1e9));
        this.pause = interval.compareTo(MIN_INTERVAL) < 0 ? MIN_INTERVAL : interval;
        waitFor(pause);
    }

    void dataReceived() {
        receivedAt = System.nanoTime();
    }

    /** Handles a frame with content, which may have been the last one before the end. */
    void contentReceived() {
        dataReceived();
        if (probe == null && pause.compareTo(QUIET) > 0) probe = loop.after(QUIET, this::pingOnceQuiet);
    }

    void stop() {
        next.cancel(false);
        if (probe != null) probe.cancel(false);
    }

    private void waitFor(Duration time) {
        next = loop.after(time, this::sendPing);
    }

    private void sendPing() {
        if (System.nanoTime() - receivedAt >= 2 * pause.toNanos()) {
            socket.abort("No data received for " + 2 * pause.toMillis() + " ms");
            return;
        }
        socket.send(Frames.PING);
        waitFor(pause);
    }

    private void pingOnceQuiet() {
        long remaining = QUIET.toNanos() - (System.nanoTime() - receivedAt);
        if (remaining > 0) {
            probe = loop.after(Duration.ofNanos(remaining), this::pingOnceQuiet);
            return;
        }
        long pingedAt = System.nanoTime();
        socket.ping();
        probe = loop.after(AGAIN, () -> {
            if (isAnswered(pingedAt)) return;
            socket.ping();
            probe = loop.after(limit, () -> {
                if (!isAnswered(pingedAt)) socket.abort("No pong received within " + limit.toMillis() + " ms");
            });
        });
    }

    private boolean isAnswered(long pingedAt) {
        if (receivedAt - pingedAt <= 0) return false;
        probe = null;
        return true;
    }
}
