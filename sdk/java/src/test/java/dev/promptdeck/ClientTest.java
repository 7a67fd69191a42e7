package dev.promptdeck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of behaviour that the conformance cases cannot observe. */
class ClientTest {
    @TempDir
    Path folder;

    /** Returns a builder for an unreachable service: nothing listens on port 1. */
    private PromptdeckClientBuilder builder() {
        return PromptdeckClient.builder()
                .server("http://127.0.0.1:1")
                .token("very-secret")
                .appName("test")
                .environment(Map.of())
                .cacheDir(folder)
                .timings(Timings.defaults().withRequest(Duration.ofMillis(500)));
    }

    @Test
    void threadsAreDaemons() {
        try (PromptdeckClient client = builder().build()) {
            assertThrows(UnavailableException.class, () -> client.getPrompt("greet"));
            assertTrue(Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().startsWith("promptdeck-"))
                    .allMatch(Thread::isDaemon));
        }
    }

    @Test
    void aHostNameThatJavaRejectsIsNamedAsTheReason() {
        for (String server : List.of("http://prompt_deck:4780", "https://bücher.example", "http://my_host")) {
            var error = assertThrows(InvalidException.class, () -> builder().server(server).build());
            assertTrue(error.getMessage().contains("host name"), error.getMessage());
        }
        for (String server : List.of("ftp://my_host", "http://user:secret@my_host", "http://my-host:x")) {
            var error = assertThrows(InvalidException.class, () -> builder().server(server).build());
            assertFalse(error.getMessage().contains("host name"), error.getMessage());
            assertFalse(error.getMessage().contains("secret"), error.getMessage());
        }
    }

    @Test
    void aFutureFailsLikeTheCallAndItsDependentsRunOnNoThreadOfTheClient() throws Exception {
        try (PromptdeckClient client = builder().fallback(Prompt.bundled("known", "Hi {{who}}")).build()) {
            var failed = assertThrows(ExecutionException.class, () -> client.getPromptAsync("greet").get());
            assertInstanceOf(UnavailableException.class, failed.getCause());
            CompletableFuture<String> thread = client.getPromptAsync("known").thenApply(prompt -> {
                client.getPromptAsync("known").join();
                return Thread.currentThread().getName();
            });
            assertFalse(thread.get(5, TimeUnit.SECONDS).startsWith("promptdeck-"));
        }
    }

    @Test
    void closeEndsAWaitingCall() throws Exception {
        // Connections are accepted by the system, but no reply is ever sent.
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            PromptdeckClient client = builder()
                    .timings(Timings.defaults())
                    .server("http://127.0.0.1:" + silent.getLocalPort())
                    .build();
            CompletableFuture<Prompt> waiting = client.getPromptAsync("greet");
            client.close();
            var failed = assertThrows(ExecutionException.class, () -> waiting.get(5, TimeUnit.SECONDS));
            assertInstanceOf(ClosedException.class, failed.getCause());
            client.close();
            assertThrows(ClosedException.class, client::watch);
        }
    }

    @Test
    void closingWhileRunsAreSentAgainLogsNoError() {
        var errors = new CopyOnWriteArrayList<Throwable>();
        Handler handler = handler(errors);
        Logger logger = Logger.getLogger("dev.promptdeck");
        logger.addHandler(handler);
        // A retry is always due, so that one is likely to begin while the client closes.
        Timings timings = Timings.defaults()
                .withRequest(Duration.ofMillis(20))
                .withRetryMin(Duration.ofNanos(1))
                .withRetryMax(Duration.ofNanos(1));
        for (int round = 0; round < 50; round++) {
            PromptdeckClient client = builder().timings(timings).build();
            client.reportRun(run());
            client.close();
        }
        logger.removeHandler(handler);
        assertEquals(List.of(), errors);
    }

    @Test
    void anInterruptedThreadSendsItsRunsWhenItCloses() throws Exception {
        var requests = new AtomicInteger();
        HttpServer service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/", exchange -> {
            requests.incrementAndGet();
            reply(exchange, 201, "{\"data\":[]}");
        });
        service.start();
        String server = "http://127.0.0.1:" + service.getAddress().getPort();
        PromptdeckClient client = builder().timings(Timings.defaults()).server(server).build();
        client.reportRun(run());
        Thread.currentThread().interrupt();
        client.close();
        assertTrue(Thread.interrupted());
        service.stop(0);
        assertEquals(1, requests.get());
    }

    @Test
    void theJarContainsTheLicense() {
        assertTrue(Files.exists(Path.of("target/classes/META-INF/LICENSE")));
    }

    @Test
    void aWrappedCallWorksAfterTheClientIsClosed() throws Exception {
        PromptdeckClient client = builder().build();
        var call = client.wrap(() -> "answer", WrapOptions.<String>of(Run.builder().provider("p").model("m")));
        client.close();
        assertEquals("answer", call.call());
    }

    @Test
    void whatUsageOrAListenerThrowsAffectsNeitherTheCallNorOtherListeners() throws Exception {
        var received = new CountDownLatch(3);
        PromptdeckClient client = builder().build();
        client.onError(error -> ClientTest.<RuntimeException>sneak(new IOException("checked, as Kotlin throws it")));
        client.onError(error -> {
            throw new AssertionError();
        });
        client.onError(error -> received.countDown());
        for (Throwable error : List.of(new NoSuchMethodError(), new IOException(), new IllegalStateException())) {
            var options = WrapOptions.<String>of(Run.builder().provider("p").model("m"))
                    .usage((answer, run) -> ClientTest.<RuntimeException>sneak(error));
            assertEquals("answer", client.wrap(() -> "answer", options).call());
        }
        assertTrue(received.await(5, TimeUnit.SECONDS));
        client.close();
        assertEquals(3, client.unsentRuns());
    }

    private static void reply(HttpExchange exchange, int status, String body) throws IOException {
        exchange.sendResponseHeaders(status, body.length());
        exchange.getResponseBody().write(body.getBytes(StandardCharsets.US_ASCII));
        exchange.close();
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable error) throws E {
        throw (E) error;
    }

    @Test
    void manyKeysThatAreKnownToBeMissingArePrefetched() throws Exception {
        HttpServer service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        service.createContext("/", exchange -> reply(exchange, 404, "{\"code\":\"not_found\"}"));
        service.start();
        String server = "http://127.0.0.1:" + service.getAddress().getPort();
        try (PromptdeckClient client = builder().timings(Timings.defaults()).server(server).build()) {
            client.prefetch(List.of("missing"));
            client.prefetch(Collections.nCopies(10_000, "missing"));
        }
        service.stop(0);
    }

    @Test
    void aCallWithAPartialResultReturnsAlthoughTheLoopIsDelayed() throws Exception {
        var loop = new Loop();
        var isReleased = new CountDownLatch(1);
        loop.execute(new FutureTask<>(() -> isReleased.await(5, TimeUnit.SECONDS)));
        new Calls(loop, Duration.ofMillis(1)).awaitUntilTimeout(CompletableFuture::new, () -> true);
        isReleased.countDown();
        loop.close();
    }

    @Test
    void aTokenWithALineBreakIsRejectedAndNotInTheMessage() {
        var error = assertThrows(InvalidException.class, () -> builder().token("very-secret\nx").build());
        assertFalse(error.getMessage().contains("very-secret"));
    }

    private static Run run() {
        return Run.builder()
                .provider("p")
                .model("m")
                .latency(Duration.ZERO)
                .status(Run.Status.OK)
                .build();
    }

    /** Returns a handler that collects what is logged as severe. */
    private static Handler handler(List<Throwable> errors) {
        return new Handler() {
            @Override
            public void publish(LogRecord entry) {
                if (entry.getLevel() == Level.SEVERE) errors.add(entry.getThrown());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }
}
