package dev.promptdeck.conformance;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import dev.promptdeck.Prompt;
import dev.promptdeck.PromptSource;
import dev.promptdeck.PromptdeckClient;
import dev.promptdeck.PromptdeckClientBuilder;
import dev.promptdeck.Timings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;

/** Converts options of the harness. */
final class Options {
    private Options() {}

    static PromptdeckClientBuilder read(JsonNode json) {
        PromptdeckClientBuilder builder = PromptdeckClient.builder().timings(timings(json.path("timings")));
        if (json.has("env")) builder.environment(Adapter.JSON.convertValue(json.get("env"), new TypeReference<>() {}));
        setText(json, "server", builder::server);
        setText(json, "token", builder::token);
        setText(json, "ca", builder::ca);
        setText(json, "app_name", builder::appName);
        setText(json, "namespace", builder::namespace);
        setText(json, "workspace", builder::workspace);
        setText(json, "cache_dir", folder -> builder.cacheDir(Path.of(folder)));
        json.path("fallbacks").properties().forEach(entry -> builder.fallback(fallback(entry)));
        return builder;
    }

    private static void setText(JsonNode json, String name, Function<String, PromptdeckClientBuilder> option) {
        if (json.hasNonNull(name)) option.apply(json.get(name).asText());
    }

    private static Prompt fallback(Map.Entry<String, JsonNode> entry) {
        JsonNode json = entry.getValue();
        return new Prompt(
                entry.getKey(),
                json.path("version").textValue(),
                json.path("env").textValue(),
                json.path("model").textValue(),
                json.path("content").textValue(),
                Wire.variables(json.path("variables")),
                null,
                PromptSource.FALLBACK,
                json.hasNonNull("messages") ? Wire.messages(json.path("messages")) : null,
                null);
    }

    private static Timings timings(JsonNode json) {
        Timings defaults = Timings.defaults();
        return new Timings(
                time(json, "request_ms", defaults.request()),
                time(json, "stale_ms", defaults.stale()),
                time(json, "negative_ms", defaults.negative()),
                time(json, "retry_min_ms", defaults.retryMin()),
                time(json, "retry_max_ms", defaults.retryMax()),
                time(json, "kicked_ms", defaults.kicked()),
                time(json, "poll_ms", defaults.poll()),
                time(json, "report_ms", defaults.report()));
    }

    private static Duration time(JsonNode json, String name, Duration otherwise) {
        return json.hasNonNull(name) ? Duration.ofNanos((long) (json.get(name).asDouble() * 1e6)) : otherwise;
    }
}
