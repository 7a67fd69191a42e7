package dev.promptdeck.conformance;

import dev.promptdeck.PromptdeckClient;
import dev.promptdeck.PromptdeckException;
import dev.promptdeck.Run;
import dev.promptdeck.Timings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * Loads the classes of a client before tests start: the first request of a new Java process would exceed the time
 * limits of the cases, which are a hundredth of the real ones.
 */
final class WarmUp {
    private static final int ROUNDS = 20;

    private WarmUp() {}

    static void run() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread answering = new Thread(() -> answer(server), "warm-up");
            answering.setDaemon(true);
            answering.start();
            try (PromptdeckClient client = PromptdeckClient.builder()
                    .server("http://127.0.0.1:" + server.getLocalPort())
                    .appName("warm-up")
                    .environment(Map.of())
                    .cacheDir(Path.of(System.getProperty("java.io.tmpdir"), "promptdeck-warm-up-" + ProcessHandle.current().pid()))
                    .timings(Timings.defaults().withRequest(Duration.ofSeconds(2)))
                    .build()) {
                use(client);
            }
        }
    }

    private static void use(PromptdeckClient client) {
        for (int round = 0; round < ROUNDS; round++) {
            try {
                client.getPrompt("key" + round);
            } catch (PromptdeckException e) {
                // Nothing is served there; the request only loads classes.
                continue;
            }
        }
        client.reportRun(Run.builder()
                .provider("none")
                .model("none")
                .latency(Duration.ZERO)
                .status(Run.Status.OK)
                .build());
        client.flush();
    }

    private static void answer(ServerSocket server) {
        while (!server.isClosed()) {
            try (Socket socket = server.accept()) {
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
                boolean isReport = false;
                for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                    isReport |= line.startsWith("POST");
                }
                String status = isReport ? "201 Created" : "404 Not Found";
                String reply = "HTTP/1.1 " + status + "\r\ncontent-length: 30\r\nconnection: close\r\n\r\n"
                        + "{\"data\":[],\"code\":\"not_found\"}";
                socket.getOutputStream().write(reply.getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                // The socket was closed: the round is over, or the next connection is accepted.
                continue;
            }
        }
    }
}
