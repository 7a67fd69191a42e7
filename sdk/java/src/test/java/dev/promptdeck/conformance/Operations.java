package dev.promptdeck.conformance;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import dev.promptdeck.PromptdeckClient;
import dev.promptdeck.Run;
import dev.promptdeck.Templates;
import dev.promptdeck.WrapOptions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;

/** The operations of the harness; each calls one method of the client. */
final class Operations {
    private static final TypeReference<Map<String, Object>> MEMBERS = new TypeReference<>() {};
    private static final TypeReference<List<String>> TEXTS = new TypeReference<>() {};

    private final EventSink events;
    private final Leftovers leftovers;
    private final Map<String, PromptdeckClient> clients = new ConcurrentHashMap<>();

    Operations(EventSink events, Leftovers leftovers) {
        this.events = events;
        this.leftovers = leftovers;
    }

    Object run(JsonNode request) throws Exception {
        return switch (request.path("op").asText()) {
            case "hello" -> Map.of(
                    "language", "java", "version", System.getProperty("java.version"), "features", List.of("disk"));
            case "new" -> make(request);
            case "stats" -> leftovers.count();
            case "render_template" -> Templates.render(
                    request.path("content").asText(),
                    members(request.path("variables")),
                    Wire.variables(request.path("declared")));
            case "render_chat" -> Templates.renderMessages(
                            Wire.messages(request.path("messages")),
                            members(request.path("variables")),
                            Wire.variables(request.path("declared")),
                            Wire.placeholders(request.path("placeholders")))
                    .stream()
                    .map(Wire::message)
                    .toList();
            default -> withClient(request, client(request));
        };
    }

    private Object withClient(JsonNode request, PromptdeckClient client) throws Exception {
        switch (request.path("op").asText()) {
            case "get_prompt":
                return Wire.prompt(client.getPrompt(request.path("key").asText()));
            case "render":
                return client.render(request.path("key").asText(), members(request.path("variables")));
            case "render_messages":
                return client
                        .renderMessages(
                                request.path("key").asText(),
                                members(request.path("variables")),
                                Wire.placeholders(request.path("placeholders")))
                        .stream()
                        .map(Wire::message)
                        .toList();
            case "prefetch":
                if (keys(request) == null) client.prefetch();
                else client.prefetch(keys(request));
                return null;
            case "watch":
                if (keys(request) == null) client.watch();
                else client.watch(keys(request));
                return null;
            case "report_run":
                return client.reportRun(report(request.path("run")).build());
            case "wrap":
                return wrap(request, client);
            case "flush":
                client.flush();
                return null;
            case "set_token":
                client.setToken(request.path("token").asText());
                return null;
            case "close":
                client.close();
                return client.unsentRuns();
            default:
                throw new IllegalArgumentException("unknown op " + request.path("op"));
        }
    }

    private Object make(JsonNode request) {
        String name = request.path("client").asText();
        PromptdeckClient client = Options.read(request.path("options")).build();
        client.onConnect(event -> events.send(
                name, "connect", Wire.members("client_id", event.clientId(), "seq", event.seq())));
        client.onDisconnect(event -> events.send(
                name, "disconnect", Wire.members("code", event.code(), "reason", event.reason())));
        client.onUpdate(event -> events.send(name, "update", Wire.update(event)));
        client.onResync(event -> events.send(name, "resync", Wire.members("seq", event.seq())));
        client.onError(error -> events.send(name, "error", Wire.error(error)));
        clients.put(name, client);
        return null;
    }

    private static Object wrap(JsonNode request, PromptdeckClient client) throws Exception {
        JsonNode error = request.path("error");
        Callable<Object> call = () -> {
            // Simulates the time of a model call.
            if (request.has("takes_ms")) Thread.sleep(request.path("takes_ms").asLong());
            if (error.isObject()) throw NamedErrors.make(error.path("type").asText(), error.path("message").asText());
            return Adapter.JSON.treeToValue(request.path("result"), Object.class);
        };
        WrapOptions<Object> options = WrapOptions.of(report(request.path("options")));
        if (request.has("usage")) {
            options = options.usage((result, run) -> members(request.path("usage")).forEach(run::set));
        }
        try {
            return client.wrap(call, options).call();
        } catch (NamedErrors.Marked e) {
            throw new Thrown(e);
        }
    }

    private PromptdeckClient client(JsonNode request) {
        PromptdeckClient client = clients.get(request.path("client").asText());
        return Objects.requireNonNull(client, () -> "no client " + request.path("client"));
    }

    private static Run.Builder report(JsonNode json) {
        Run.Builder run = Run.builder();
        members(json).forEach(run::set);
        return run;
    }

    private static List<String> keys(JsonNode request) {
        return request.hasNonNull("keys") ? Adapter.JSON.convertValue(request.get("keys"), TEXTS) : null;
    }

    private static Map<String, Object> members(JsonNode json) {
        return json.isObject() ? Adapter.JSON.convertValue(json, MEMBERS) : Map.of();
    }

    /** Sends an event to the harness. */
    @FunctionalInterface
    interface EventSink {
        void send(String client, String event, Map<String, Object> data);
    }
}
