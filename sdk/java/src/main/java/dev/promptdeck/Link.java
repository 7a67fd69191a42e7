package dev.promptdeck;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

/** Keeps the live connection up. On the loop, but for {@link #isUp()}. */
final class Link {
    /** In place of the number of a connection, while there is none. */
    static final int NO_LINE = 0;

    private static final int SIGNED_OUT = 4401;
    private static final int KICKED = 4403;
    /** Frames of many keys asked for at once are sent together. */
    private static final Duration SUBSCRIBE_PAUSE = Duration.ofMillis(5);

    private final ClientOptions options;
    private final Token token;
    private final Http http;
    private final Loop loop;
    private final Events events;
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
    private boolean isRefused;
    private volatile boolean isUp;
    private int lines;

    Link(ClientOptions options, Token token, String instanceId, Http http, Loop loop, Events events) {
        this.options = options;
        this.token = token;
        this.instanceId = instanceId;
        this.http = http;
        this.loop = loop;
        this.events = events;
        this.backoff = new Backoff(options.timings());
    }

    /** From any thread: said hello, and not ended. */
    boolean isUp() {
        return isUp;
    }

    /** Which connection stands now, counted from 1. */
    int line() {
        return isUp ? lines : NO_LINE;
    }

    boolean isStarted() {
        return watch != null;
    }

    /** Connects, and from here on again and again. */
    void start(Watch listening) {
        watch = listening;
        connect();
    }

    /** Done once the connection is up. */
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

    /** The number of the newest event heard of. */
    long newestSeq() {
        return sequence.newest();
    }

    void ack(long seq, String key, String version) {
        if (isUp) socket.send(Frames.ack(seq, key, version));
    }

    /** There is another token: what was refused before is tried with it. */
    void tokenChanged() {
        if (!isRefused) return;
        isRefused = false;
        connect();
    }

    /** Done when the connection is gone. */
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
        timer = loop.after(options.timings().request(), () -> attempt.cut("The service did not say hello in time"));
        attempt.open(http);
    }

    void opened(LiveSocket from) {
        usedToken = token.get();
        from.send(Frames.hello(options, usedToken, instanceId, keys.list(), sequence.since()));
    }

    void heard(LiveSocket from) {
        if (from == socket && heartbeat != null) heartbeat.heard();
    }

    void frame(LiveSocket from, String text) {
        if (from != socket) return;
        JsonNode frame = Json.object(text);
        String type = frame == null ? null : Json.text(frame, "type");
        long seq = frame == null ? KeyState.NONE : frame.path("seq").asLong(KeyState.NONE);
        if (heartbeat != null && !"pong".equals(type)) heartbeat.heardNews();
        else heard(from);
        if (type == null) told("The service sent a frame that is no JSON object with a type. It was ignored.");
        else if (type.equals("hello")) hello(from, frame, seq);
        else if (type.equals("resync")) resync(seq);
        else if (type.startsWith("prompt.")) prompt(frame, type, seq);
        else if (type.equals("changed")) sequence.heard(seq);
        else if (!type.equals("pong")) told("The service sent a frame of the unknown type " + type + ". It was ignored.");
    }

    private void hello(LiveSocket from, JsonNode frame, long seq) {
        if (isUp) return;
        timer.cancel(false);
        backoff.reset();
        isUp = true;
        lines += 1;
        sequence.hello(seq);
        heartbeat = new Heartbeat(from, frame.path("heartbeat_s").asDouble(0), options.timings().request(), loop);
        heartbeat.heardNews();
        events.emit(new Connected(Json.text(frame, "client_id"), seq));
        watch.connected();
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
            told("The service sent a " + type + " without key or seq. It was ignored.");
            return;
        }
        sequence.heard(seq);
        watch.prompt(key, seq, type.equals("prompt.deleted"));
    }

    /** The end of a connection, or of the attempt to make one. */
    void ended(LiveSocket from, int code, String reason, boolean isSaid) {
        if (from != socket) return;
        boolean wasUp = isUp;
        isUp = false;
        socket = null;
        timer.cancel(false);
        if (heartbeat != null) heartbeat.stop();
        heartbeat = null;
        if (wasUp || isSaid) events.emit(new Disconnected(code, token.hide(reason)));
        if (wasUp && !sequence.isReplayed(options.timings().request())) watch.replayCutOff();
        watch.disconnected();
        isRefused = code == SIGNED_OUT && Objects.equals(usedToken, token.get());
        if (isRefused) return;
        // A random part, so that not all clients of a service that came back knock at once.
        long pause = ThreadLocalRandom.current().nextLong(backoff.fail().toNanos() + 1);
        if (code == KICKED) pause += options.timings().kicked().toNanos();
        timer = loop.after(Duration.ofNanos(pause), this::connect);
    }

    private void told(String what) {
        events.emit(new InvalidException(what));
    }
}
