package dev.promptdeck.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import dev.promptdeck.Message;
import dev.promptdeck.MessagePlaceholder;
import dev.promptdeck.Prompt;
import dev.promptdeck.PromptMessage;
import dev.promptdeck.PromptVariable;
import dev.promptdeck.PromptdeckException;
import dev.promptdeck.ToolCall;
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
                "source", prompt.source().name().toLowerCase(Locale.ROOT),
                "type", prompt.type().name().toLowerCase(Locale.ROOT),
                "messages",
                        prompt.messages() == null
                                ? null
                                : prompt.messages().stream().map(Wire::message).toList(),
                "params", prompt.params());
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

    static List<PromptMessage> messages(JsonNode json) {
        List<PromptMessage> messages = new ArrayList<>();
        for (JsonNode item : json) {
            if (item.has("placeholder")) messages.add(new MessagePlaceholder(item.path("placeholder").asText()));
            else messages.add(message(item));
        }
        return messages;
    }

    static Map<String, List<Message>> placeholders(JsonNode json) {
        Map<String, List<Message>> placeholders = new LinkedHashMap<>();
        json.properties().forEach(entry -> {
            if (entry.getValue().isNull()) return;
            List<Message> messages = new ArrayList<>();
            entry.getValue().forEach(item -> messages.add(item.isNull() ? null : message(item)));
            placeholders.put(entry.getKey(), messages);
        });
        return placeholders;
    }

    private static Message message(JsonNode json) {
        List<ToolCall> calls = new ArrayList<>();
        json.path("tool_calls")
                .forEach(call -> calls.add(new ToolCall(
                        call.path("id").textValue(),
                        call.path("name").textValue(),
                        Adapter.JSON.convertValue(call.get("arguments"), Object.class))));
        return new Message(
                json.path("role").textValue(),
                json.path("content").textValue(),
                calls,
                json.path("tool_call_id").textValue(),
                json.path("name").textValue());
    }

    static Map<String, Object> message(PromptMessage prompt) {
        if (prompt instanceof MessagePlaceholder placeholder) return members("placeholder", placeholder.name());
        Message message = (Message) prompt;
        Map<String, Object> members = members("role", message.role(), "content", message.content());
        if (!message.toolCalls().isEmpty()) {
            members.put(
                    "tool_calls",
                    message.toolCalls().stream()
                            .map(call -> members("id", call.id(), "name", call.name(), "arguments", call.arguments()))
                            .toList());
        }
        if (message.toolCallId() != null) members.put("tool_call_id", message.toolCallId());
        if (message.name() != null) members.put("name", message.name());
        return members;
    }

    private static Map<String, Object> variable(PromptVariable variable) {
        Map<String, Object> members = members(
                "name", variable.name(),
                "required", variable.required(),
                "default", variable.defaultValue(),
                "description", variable.description(),
                "type", variable.type());
        if (variable.example() != null) members.put("example", variable.example());
        return members;
    }
}
