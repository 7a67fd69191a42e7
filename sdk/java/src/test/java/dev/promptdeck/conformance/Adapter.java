package dev.promptdeck.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.promptdeck.PromptdeckException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Executes requests of the conformance harness: JSON lines on stdin, replies and events on stdout. */
public final class Adapter {
    static final ObjectMapper JSON = new ObjectMapper();

    private final PrintStream out;

    private Adapter(PrintStream out) {
        this.out = out;
    }

    /**
     * Runs until stdin ends or an {@code exit} request.
     *
     * @param args none
     * @throws IOException if stdin cannot be read
     */
    public static void main(String[] args) throws IOException {
        Leftovers leftovers = Leftovers.since();
        WarmUp.run();
        Adapter adapter = new Adapter(new PrintStream(System.out, false, StandardCharsets.UTF_8));
        Operations operations = new Operations(adapter::sendEvent, leftovers);
        ExecutorService workers = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "adapter");
            thread.setDaemon(true);
            return thread;
        });
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonNode request = JSON.readTree(line);
            if (request.path("op").asText().equals("exit")) {
                adapter.answer(request, null);
                break;
            }
            workers.execute(() -> adapter.work(operations, request));
        }
    }

    private void work(Operations operations, JsonNode request) {
        try {
            answer(request, operations.run(request));
        } catch (PromptdeckException e) {
            fail(request, e.code(), e.getMessage());
        } catch (Thrown e) {
            fail(request, "Thrown", e.getMessage());
        } catch (Exception e) {
            e.printStackTrace();
            fail(request, "Adapter", e.toString());
        }
    }

    private void answer(JsonNode request, Object value) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("id", request.get("id"));
        line.put("ok", value);
        write(line);
    }

    private void fail(JsonNode request, String code, String message) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("id", request.get("id"));
        line.put("error", Map.of("code", code, "message", String.valueOf(message)));
        write(line);
    }

    private void sendEvent(String client, String event, Map<String, Object> data) {
        Map<String, Object> line = new HashMap<>();
        line.put("event", event);
        line.put("client", client);
        line.put("data", data);
        write(line);
    }

    private synchronized void write(Map<String, Object> line) {
        try {
            out.println(JSON.writeValueAsString(line));
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
