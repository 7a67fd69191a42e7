package dev.promptdeck;

import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Function;

/** One WebSocket, from the attempt to connect to its end. Reports frames on the loop, and its end exactly once. */
final class LiveSocket implements WebSocket.Listener {
    /** The connection was lost: there was no close frame. */
    static final int BROKEN = 1006;
    /** Frames of the service are below 64 KiB; a much longer one is not from the service. */
    private static final int MAX_CHARACTERS = 1 << 20;
    private static final Duration CLOSING = Duration.ofMillis(250);

    private final LiveConnection live;
    private final Loop loop;
    private final Duration limit;
    private final StringBuilder text = new StringBuilder();
    private CompletableFuture<WebSocket> opening;
    /** Last write. Frames are sent one after the other, as Java's WebSocket requires. */
    private CompletableFuture<WebSocket> sending = new CompletableFuture<>();
    private Future<?> rest;
    private boolean isEnded;

    /**
     * Creates the socket without connecting.
     *
     * @param limit time for the rest of a frame after its first part
     */
    LiveSocket(LiveConnection live, Loop loop, Duration limit) {
        this.live = live;
        this.loop = loop;
        this.limit = limit;
    }

    void open(Http http) {
        opening = http.open(this);
        opening.whenComplete((socket, error) -> {
            if (error != null) loop.execute(() -> notOpened(error));
        });
    }

    /** Sends a frame. Call only on the loop. */
    void send(String frame) {
        send(socket -> socket.sendText(frame, true));
    }

    /** Sends a WebSocket ping, which any peer answers. Call only on the loop. */
    void ping() {
        send(socket -> socket.sendPing(ByteBuffer.allocate(0)));
    }

    private void send(Function<WebSocket, CompletableFuture<WebSocket>> write) {
        sending = sending.thenCompose(write);
        sending.whenComplete((socket, error) -> {
            if (error != null) loop.execute(() -> end(BROKEN, "A frame could not be sent", false));
        });
    }

    /** Aborts the connection and reports its end. Call only on the loop. */
    void abort(String reason) {
        end(BROKEN, reason, false);
    }

    /**
     * Sends a close frame and reports nothing further. Call only on the loop. Completes when the connection, or the
     * attempt, has ended.
     */
    CompletableFuture<Void> close() {
        isEnded = true;
        CompletableFuture<Void> closed = new CompletableFuture<>();
        loop.after(CLOSING, () -> closed.complete(null));
        opening.whenComplete((socket, error) -> {
            if (error != null) {
                closed.complete(null);
                return;
            }
            socket.sendClose(WebSocket.NORMAL_CLOSURE, "").whenComplete((sent, failed) -> closed.complete(null));
            closed.thenRun(socket::abort);
        });
        return closed;
    }

    private void notOpened(Throwable error) {
        if (!isEnded) live.notOpened(error);
        boolean isRejected = Http.isUnauthorized(error);
        if (isRejected) end(LiveConnection.TOKEN_REJECTED, "The token is unknown, expired or revoked", true);
        else end(BROKEN, "The connection could not be opened", false);
    }

    private void end(int code, String reason, boolean hasCloseFrame) {
        if (isEnded) return;
        isEnded = true;
        if (rest != null) rest.cancel(false);
        // Do not wait for pending writes: on a dead connection they may never complete.
        opening.thenAccept(WebSocket::abort);
        live.ended(this, code, reason, hasCloseFrame);
    }

    @Override
    public void onOpen(WebSocket socket) {
        loop.execute(() -> {
            if (isEnded) {
                socket.abort();
                return;
            }
            sending.complete(socket);
            live.opened(this);
            socket.request(1);
        });
    }

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean isLast) {
        text.append(part);
        if (text.length() > MAX_CHARACTERS) {
            loop.execute(() -> end(BROKEN, "A frame was too large", false));
            return null;
        }
        runOnLoop(() -> awaitRest(isLast));
        if (isLast) {
            String frame = text.toString();
            text.setLength(0);
            runOnLoop(() -> live.frame(this, frame));
        }
        socket.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer part, boolean isLast) {
        if (isLast) runOnLoop(() -> live.frame(this, ""));
        socket.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onPing(WebSocket socket, ByteBuffer message) {
        runOnLoop(() -> live.dataReceived(this));
        socket.request(1);
        return null;
    }

    @Override
    public CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
        return onPing(socket, message);
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
        loop.execute(() -> end(code, reason, true));
        return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
        loop.execute(() -> end(BROKEN, "The connection was lost", false));
    }

    /** Limits the wait for the rest of a frame: Java's WebSocket may miss the end of a connection lost within one. */
    private void awaitRest(boolean isLast) {
        if (rest != null) rest.cancel(false);
        rest = isLast ? null : loop.after(limit, () -> end(BROKEN, "The rest of a frame did not arrive", false));
    }

    private void runOnLoop(Runnable task) {
        loop.execute(() -> {
            if (!isEnded) task.run();
        });
    }
}
