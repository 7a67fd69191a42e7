package dev.promptdeck;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;

/** Sends requests to the service only: redirects are not followed. */
final class Http {
    static final String VERSION = version();
    private static final System.Logger LOG = System.getLogger("dev.promptdeck");
    private static final String USER_AGENT = "promptdeck-java/" + VERSION + " (Java "
            + System.getProperty("java.version") + "; " + System.getProperty("os.name") + ")";

    private final URI server;
    private final Token token;
    private final String instanceId;
    private final Duration limit;
    private final Loop loop;
    private final ThreadPoolExecutor threads = Threads.pool("http", 4);
    /** Null after the end, so that it can be garbage-collected while this object is still referenced. */
    private volatile HttpClient client;
    private final Set<Future<?>> pending = new HashSet<>();
    private boolean isClosed;

    /**
     * Creates the HTTP client without sending anything.
     *
     * @param instanceId identifies the client in requests and on the live connection
     */
    Http(ClientOptions options, Token token, String instanceId, Loop loop) {
        this.server = options.server();
        this.token = token;
        this.instanceId = instanceId;
        this.limit = options.timings().request();
        this.loop = loop;
        // The service uses HTTP/1.1; the default would try to upgrade each request.
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .proxy(HttpClient.Builder.NO_PROXY)
                .connectTimeout(limit)
                .executor(threads);
        if (Target.isSecure(server)) {
            builder.sslContext(Certificates.context(options.ca())).sslParameters(Certificates.parameters());
        }
        this.client = builder.build();
    }

    /**
     * Sends one request, on the loop. The reply arrives on the loop too, at the latest after the timeout.
     *
     * @param path with its query
     * @param json the body; null for none
     * @param headers names and values, alternating
     * @return any reply, or {@link UnavailableException}; {@link ClosedException} after closing
     */
    CompletableFuture<Reply> send(String method, String path, String json, List<String> headers) {
        // A task that the loop runs while it ends.
        if (isClosed) return CompletableFuture.failedFuture(Calls.closed());
        CompletableFuture<Reply> result = new CompletableFuture<>();
        var exchange = client.sendAsync(request(method, path, json, headers), BodyHandlers.ofByteArray());
        pending.add(exchange);
        Future<?> deadline = loop.after(limit, () -> {
            result.completeExceptionally(new UnavailableException("The service did not reply within "
                    + limit.toMillis() + " ms. Check that it is running, or increase the time limit."));
            exchange.cancel(true);
        });
        exchange.whenComplete((response, error) -> loop.execute(() -> {
            deadline.cancel(false);
            pending.remove(exchange);
            if (error == null) result.complete(new Reply(response.statusCode(), response.headers(), response.body()));
            else result.completeExceptionally(unreachable(error));
        }));
        return result;
    }

    /** Opens the live connection. Over TLS with the token: a service on the local network accepts none without. */
    CompletableFuture<WebSocket> open(WebSocket.Listener listener) {
        String base = server.toString();
        WebSocket.Builder socket =
                client.newWebSocketBuilder().connectTimeout(limit).header("User-Agent", USER_AGENT);
        String secret = token.get();
        if (secret != null && Target.isSecure(server)) socket.header("Authorization", "Bearer " + secret);
        return socket.buildAsync(URI.create("ws" + base.substring("http".length()) + "/ws"), listener);
    }

    /** Returns true if the service rejected the token of an upgrade. */
    static boolean isUnauthorized(Throwable error) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        return cause instanceof WebSocketHandshakeException refused
                && refused.getResponse().statusCode() == 401;
    }

    /** Aborts pending requests and rejects later ones, on the loop. */
    void close() {
        isClosed = true;
        pending.forEach(exchange -> exchange.cancel(true));
        pending.clear();
    }

    /** Releases the HTTP client, once the loop has ended. */
    void end() {
        HttpClient last = client;
        client = null;
        // Before Java 21 the connections are closed when the client is garbage-collected.
        try {
            HttpClient.class.getMethod("shutdownNow").invoke(last);
        } catch (NoSuchMethodException e) {
            LOG.log(System.Logger.Level.TRACE, "Connections are closed when the client is garbage-collected");
        } catch (ReflectiveOperationException e) {
            LOG.log(System.Logger.Level.DEBUG, "The HTTP client did not shut down", e);
        }
    }

    private HttpRequest request(String method, String path, String json, List<String> headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server + path))
                .header("User-Agent", USER_AGENT)
                .header("Promptdeck-Instance", instanceId);
        String secret = token.get();
        if (secret != null) request.header("Authorization", "Bearer " + secret);
        for (int at = 0; at < headers.size(); at += 2) request.header(headers.get(at), headers.get(at + 1));
        if (json == null) return request.method(method, BodyPublishers.noBody()).build();
        return request.header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(json, StandardCharsets.UTF_8))
                .build();
    }

    private UnavailableException unreachable(Throwable wrapped) {
        Throwable error = Failures.cause(wrapped);
        String problem = Certificates.problem(error, server);
        if (problem != null) return new UnavailableException(problem, error);
        String cause = error.getMessage() == null ? error.getClass().getSimpleName() : token.redact(error.getMessage());
        return new UnavailableException(
                "The service cannot be reached at " + server + ": " + cause + ". Check that it is running.", error);
    }

    private static String version() {
        try (InputStream file = Http.class.getResourceAsStream("client.properties")) {
            Properties properties = new Properties();
            properties.load(file);
            return properties.getProperty("version");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
