package dev.promptdeck;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads, writes and renders the messages of chat prompts. */
final class Messages {
    private Messages() {}

    /** Thrown for messages that are not valid. */
    static final class NotValid extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** Reads messages; returns null if they are absent, as in a text. */
    static List<PromptMessage> read(JsonNode json) throws NotValid {
        if (json.isMissingNode() || json.isNull()) return null;
        if (!json.isArray()) throw new NotValid();
        List<PromptMessage> messages = new ArrayList<>();
        for (JsonNode item : json) messages.add(readOne(item));
        return List.copyOf(messages);
    }

    private static PromptMessage readOne(JsonNode json) throws NotValid {
        String placeholder = Json.text(json, "placeholder");
        if (placeholder != null) return new MessagePlaceholder(placeholder);
        String role = Json.text(json, "role");
        String content = Json.text(json, "content");
        if (role == null || content == null) throw new NotValid();
        List<ToolCall> calls = new ArrayList<>();
        for (JsonNode call : json.path("tool_calls")) {
            calls.add(new ToolCall(Json.text(call, "id"), Json.text(call, "name"), Json.frozen(call.get("arguments"))));
        }
        return new Message(role, content, calls, Json.text(json, "tool_call_id"), Json.text(json, "name"));
    }

    /** Returns the JSON members of a message. */
    static Map<String, Object> write(PromptMessage prompt) {
        Map<String, Object> json = new LinkedHashMap<>();
        if (prompt instanceof MessagePlaceholder placeholder) json.put("placeholder", placeholder.name());
        if (!(prompt instanceof Message message)) return json;
        json.put("role", message.role());
        json.put("content", message.content());
        if (!message.toolCalls().isEmpty()) {
            json.put("tool_calls", message.toolCalls().stream().map(Messages::write).toList());
        }
        if (message.toolCallId() != null) json.put("tool_call_id", message.toolCallId());
        if (message.name() != null) json.put("name", message.name());
        return json;
    }

    private static Map<String, Object> write(ToolCall call) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", call.id());
        json.put("name", call.name());
        json.put("arguments", call.arguments());
        return json;
    }

    /** Returns the messages as one text, as the service does. */
    static String text(List<PromptMessage> messages) {
        return messages.stream()
                .map(each -> each instanceof Message message
                        ? message.role() + ": " + message.content()
                        : "placeholder: {{" + ((MessagePlaceholder) each).name() + "}}")
                .collect(Collectors.joining("\n\n"));
    }

    static List<Message> render(
            List<? extends PromptMessage> messages,
            Map<String, ?> values,
            Collection<PromptVariable> declared,
            Map<String, ? extends List<Message>> placeholders) {
        List<Message> rendered = new ArrayList<>();
        for (PromptMessage each : messages) {
            if (each instanceof Message message) {
                rendered.add(message.withContent(Templates.render(message.content(), values, declared)));
            } else if (each instanceof MessagePlaceholder placeholder) {
                rendered.addAll(inserted(placeholder.name(), placeholders));
            }
        }
        return rendered;
    }

    private static List<Message> inserted(String name, Map<String, ? extends List<Message>> placeholders) {
        List<Message> messages = placeholders == null ? null : placeholders.get(name);
        if (messages == null) return List.of();
        if (messages.stream().anyMatch(message -> message == null || message.role() == null)) {
            throw new InvalidException("The placeholder " + name + " must be a list of messages with a role.");
        }
        return messages;
    }
}
