package dev.promptdeck;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON of prompts, on the wire and on disk. */
final class PromptJson {
    private PromptJson() {}

    /** Reads a prompt from a JSON object; returns null if it is invalid or incomplete. */
    static Prompt read(JsonNode json, String etagHeader, PromptSource source) {
        if (json == null || !json.isObject()) return null;
        String key = Json.text(json, "key");
        String version = Json.text(json, "version");
        String content = Json.text(json, "content");
        String etag = Json.text(json, "etag") == null ? etagHeader : Json.text(json, "etag");
        List<PromptVariable> variables = variables(json.path("variables"));
        if (key == null || key.isEmpty() || version == null || content == null || variables == null) return null;
        List<PromptMessage> messages;
        try {
            messages = Messages.read(json.path("messages"));
        } catch (Messages.NotValid e) {
            return null;
        }
        return new Prompt(
                key,
                version,
                Json.text(json, "env"),
                Json.text(json, "model"),
                content,
                variables,
                etag,
                source,
                messages,
                params(json.path("params")));
    }

    /** Returns the JSON members of a prompt, without the source. */
    static Map<String, Object> write(Prompt prompt) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("key", prompt.key());
        json.put("version", prompt.version());
        json.put("env", prompt.env());
        json.put("model", prompt.model());
        json.put("content", prompt.content());
        json.put("variables", prompt.variables().stream().map(PromptJson::write).toList());
        json.put("etag", prompt.etag());
        json.put("messages", prompt.messages() == null ? null : prompt.messages().stream().map(Messages::write).toList());
        json.put("params", prompt.params());
        return json;
    }

    /** Reads the parameters; services and copies from before chat prompts have none. */
    private static Map<String, Object> params(JsonNode json) {
        Map<String, Object> params = new LinkedHashMap<>();
        json.properties().forEach(member -> params.put(member.getKey(), Json.frozen(member.getValue())));
        return Collections.unmodifiableMap(params);
    }

    private static Map<String, Object> write(PromptVariable variable) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", variable.name());
        json.put("required", variable.required());
        json.put("default", variable.defaultValue());
        json.put("description", variable.description());
        json.put("type", variable.type());
        if (variable.example() != null) json.put("example", variable.example());
        return json;
    }

    /** Reads the variables; returns null for an invalid list, an empty list if it is absent. */
    private static List<PromptVariable> variables(JsonNode json) {
        if (json.isMissingNode() || json.isNull()) return List.of();
        if (!json.isArray()) return null;
        List<PromptVariable> variables = new ArrayList<>();
        for (JsonNode item : json) {
            String name = Json.text(item, "name");
            if (name == null) return null;
            String description = Json.text(item, "description");
            String type = Json.text(item, "type");
            variables.add(new PromptVariable(
                    name,
                    item.path("required").asBoolean(false),
                    item.hasNonNull("default") ? Json.plain(item.get("default")) : null,
                    description == null ? "" : description,
                    type == null ? "string" : type,
                    item.hasNonNull("example") ? Json.plain(item.get("example")) : null));
        }
        return variables;
    }
}
