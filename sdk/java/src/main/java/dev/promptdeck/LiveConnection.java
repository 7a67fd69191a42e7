package dev.promptdeck;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

/** Keeps the live connection open. Used only on the loop, except {@link #isUp()}. */
final class LiveConnection {
    /** Connection number while there is none. */
    static final int NO_CONNECTION = 0;

    static final int TOKEN_REJECTED = 4401;
    private static final int KICKED = 4403;
    /** Time in which new keys are collected into one frame. */
    private static final Duration SUBSCRIBE_PAUSE = Duration.ofMillis(5);

    private final ClientOptions options;
    private final Token token;
    private final Http http;
    private final Loop loop;
    private final Events events;
    private final Reports reports;
    private final Backoff backoff;
    private final Keys keys = new Keys();
    private final Sequence sequence = new Sequence();
    private final String instanceId;
    private final List<CompletableFuture<Void>> waiting = new ArrayList<>();

    private Watch watch;
    private LiveSocket socket;
    private Heartbeat heartbeat;
    private String usedToken;
    private Future<?> timer;
    private boolean isSubscribing;
    private boolean isRejected;
    private volatile boolean isUp;
    private int connections;
    /** A problem of the certificate is reported once, not at each attempt to connect. */
    private String reportedProblem;

    LiveConnection(
            ClientOptions options,
            Token token,
            String instanceId,
            Http http,
            Loop loop,
            Events events,
            Reports reports) {
        this.options = options;
        this.token = token;
        this.instanceId = instanceId;
        this.http = http;
        this.loop = loop;
        this.events = events;
        this.reports = reports;
        this.backoff = new Backoff(options.timings());
    }

    /** Returns true if the handshake is complete and the connection has not ended. From any thread. */
    boolean isUp() {
        return isUp;
    }

    /** Returns the number of the open connection, counted from 1. */
    int connectionNumber() {
        return isUp ? connections : NO_CONNECTION;
    }

    boolean isStarted() {
        return watch != null;
    }

    /** Connects, and reconnects from then on. */
    void start(Watch listening) {
        watch = listening;
        connect();
    }

    /** Completes once the connection is open. */
    CompletableFuture<Void> whenUp() {
        if (isUp) return CompletableFuture.completedFuture(null);
        CompletableFuture<Void> up = new CompletableFuture<>();
        waiting.add(up);
        return up;
    }

    void addKey(String key) {
        if (!keys.add(key) || !isUp || isSubscribing) return;
        isSubscribing = true;
        loop.after(SUBSCRIBE_PAUSE, () -> {
            isSubscribing = false;
            if (isUp) socket.send(Frames.subscribe(keys.list()));
        });
    }

    /** Returns the sequence number of the newest received event. */
    long newestSeq() {
        return sequence.newest();
    }

    void ack(long seq, String key, String version) {
        if (isUp) socket.send(Frames.ack(seq, key, version));
    }

    /** Handles a replaced token: reconnects if the old one was rejected. */
    void tokenChanged() {
        if (!isRejected) return;
        isRejected = false;
        connect();
    }

    /** Completes when the connection has ended. */
    CompletableFuture<Void> close() {
        isUp = false;
        if (timer != null) timer.cancel(false);
        if (heartbeat != null) heartbeat.stop();
        LiveSocket last = socket;
        socket = null;
        return last == null ? CompletableFuture.completedFuture(null) : last.close();
    }

    private void connect() {
        socket = new LiveSocket(this, loop, options.timings().request());
        LiveSocket attempt = socket;
        timer = loop.after(
                options.timings().request(), () -> attempt.abort("The service did not send its hello in time"));
        usedToken = token.get();
        attempt.open(http);
    }

    void opened(LiveSocket from) {
        from.send(Frames.hello(options, usedToken, instanceId, keys.list(), sequence.since()));
    }

    void dataReceived(LiveSocket from) {
        if (from == socket && heartbeat != null) heartbeat.dataReceived();
    }

    void frame(LiveSocket from, String text) {
        if (from != socket) return;
        JsonNode frame = Json.object(text);
        String type = frame == null ? null : Json.text(frame, "type");
        long seq = frame == null ? KeyState.NONE : frame.path("seq").asLong(KeyState.NONE);
        if (heartbeat != null && !"pong".equals(type)) heartbeat.contentReceived();
        else dataReceived(from);
        if (type == null) reportError("The service sent a frame that is not a JSON object with a type.");
        else if (type.equals("hello")) hello(from, frame, seq);
        else if (type.equals("resync")) resync(seq);
        else if (type.startsWith("prompt.")) prompt(frame, type, seq);
        else if (type.equals("changed")) sequence.received(seq);
        else if (type.equals("pong")) sequence.pong();
        else reportError("The service sent a frame of the unknown type " + type + ".");
    }

    private void hello(LiveSocket from, JsonNode frame, long seq) {
        if (isUp) return;
        timer.cancel(false);
        backoff.reset();
        isUp = true;
        connections += 1;
        reportedProblem = null;
        sequence.hello(seq);
        heartbeat = new Heartbeat(from, frame.path("heartbeat_s").asDouble(0), options.timings().request(), loop);
        heartbeat.contentReceived();
        events.emit(new Connected(Json.text(frame, "client_id"), seq));
        watch.connected();
        reports.retryNow();
        waiting.forEach(up -> up.complete(null));
        waiting.clear();
    }

    private void resync(long seq) {
        sequence.restart(seq);
        watch.resync(seq);
    }

    private void prompt(JsonNode frame, String type, long seq) {
        String key = Json.text(frame, "key");
        if (key == null || seq == KeyState.NONE) {
            reportError("The service sent a frame of the type " + type + " without key or seq.");
            return;
        }
        sequence.received(seq);
        watch.prompt(key, seq, type.equals("prompt.deleted"));
    }

    /** Handles the reason for which an attempt to connect failed. */
    void notOpened(Throwable error) {
        String problem = Certificates.problem(error, options.server());
        if (problem == null || problem.equals(reportedProblem)) return;
        reportedProblem = problem;
        events.emit(new UnavailableException(problem, error));
    }

    /** Handles the end of a connection, or of an attempt to connect. */
    void ended(LiveSocket from, int code, String reason, boolean hasCloseFrame) {
        if (from != socket) return;
        boolean wasUp = isUp;
        isUp = false;
        socket = null;
        timer.cancel(false);
        if (heartbeat != null) heartbeat.stop();
        heartbeat = null;
        if (wasUp || hasCloseFrame) events.emit(new Disconnected(code, token.redact(reason)));
        if (wasUp && !sequence.isReplayed(options.timings().request())) watch.replayCutOff();
        sequence.ended();
        watch.disconnected();
        isRejected = code == TOKEN_REJECTED && Objects.equals(usedToken, token.get());
        if (isRejected) return;
        // Random, so that not all clients reconnect at once after an outage.
        long pause = ThreadLocalRandom.current().nextLong(backoff.fail().toNanos() + 1);
        if (code == KICKED) pause += options.timings().kicked().toNanos();
        timer = loop.after(Duration.ofNanos(pause), this::connect);
    }

    private void reportError(String what) {
        events.emit(new InvalidException(what + " It was ignored."));
    }
}
