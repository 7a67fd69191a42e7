package dev.promptdeck.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.promptdeck.Prompt;
import dev.promptdeck.PromptVariable;
import dev.promptdeck.PromptdeckException;
import dev.promptdeck.Update;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Converts values between the client and the harness. */
final class Wire {
    private Wire() {}

    /** Builds a map from alternating names and values. */
    static Map<String, Object> members(Object... namesAndValues) {
        Map<String, Object> members = new LinkedHashMap<>();
        for (int at = 0; at < namesAndValues.length; at += 2) {
            members.put((String) namesAndValues[at], namesAndValues[at + 1]);
        }
        return members;
    }

    static Map<String, Object> prompt(Prompt prompt) {
        return members(
                "key", prompt.key(),
                "version", prompt.version(),
                "env", prompt.env(),
                "model", prompt.model(),
                "content", prompt.content(),
                "variables", prompt.variables().stream().map(Wire::variable).toList(),
                "etag", prompt.etag(),
                "source", prompt.source().name().toLowerCase(Locale.ROOT));
    }

    static Map<String, Object> update(Update event) {
        return members(
                "key", event.key(),
                "version", event.version(),
                "previous_version", event.previousVersion(),
                "prompt", event.prompt() == null ? null : prompt(event.prompt()));
    }

    static Map<String, Object> error(PromptdeckException error) {
        return members("code", error.code(), "message", error.getMessage());
    }

    static List<PromptVariable> variables(JsonNode json) {
        List<PromptVariable> variables = new ArrayList<>();
        for (JsonNode item : json) {
            Object value = item.hasNonNull("default")
                    ? Adapter.JSON.convertValue(item.get("default"), Object.class)
                    : null;
            variables.add(new PromptVariable(item.path("name").asText(), value));
        }
        return variables;
    }

    private static Map<String, Object> variable(PromptVariable variable) {
        return members(
                "name", variable.name(),
                "required", variable.required(),
                "default", variable.defaultValue(),
                "description", variable.description(),
                "type", variable.type());
    }
}
