package dev.promptdeck;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON. {@link EcmaJson} writes it. */
final class Json {
    static final ObjectMapper MAPPER =
            JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    private Json() {}

    /**
     * Parses a JSON object; returns null for anything else.
     *
     * @param bytes UTF-8
     */
    static JsonNode object(byte[] bytes) {
        try {
            return objectOrNull(MAPPER.readTree(bytes));
        } catch (IOException e) {
            return null;
        }
    }

    /** Parses a JSON object; returns null for anything else. */
    static JsonNode object(String text) {
        try {
            return objectOrNull(MAPPER.readTree(text));
        } catch (JsonProcessingException e) {
            return null;
        }
    }

    /** Returns the string member of that name, or null. */
    static String text(JsonNode object, String name) {
        JsonNode member = object.path(name);
        return member.isTextual() ? member.textValue() : null;
    }

    /** Converts any value to maps, lists, strings, numbers and booleans. */
    static Object plain(JsonNode node) {
        return node == null ? null : MAPPER.convertValue(node, Object.class);
    }

    /** Converts any value like {@link #plain}, to lists and maps that cannot be modified. */
    static Object frozen(JsonNode node) {
        if (node == null) return null;
        if (node.isObject()) {
            Map<String, Object> members = new LinkedHashMap<>();
            node.properties().forEach(member -> members.put(member.getKey(), frozen(member.getValue())));
            return Collections.unmodifiableMap(members);
        }
        if (!node.isArray()) return plain(node);
        List<Object> items = new ArrayList<>();
        node.forEach(item -> items.add(frozen(item)));
        return Collections.unmodifiableList(items);
    }

    private static JsonNode objectOrNull(JsonNode node) {
        return node != null && node.isObject() ? node : null;
    }
}
