package dev.promptdeck;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;

/** Reading JSON. Written is everything by {@link EcmaJson}. */
final class Json {
    static final ObjectMapper MAPPER =
            JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    private Json() {}

    /**
     * The JSON object in these bytes; null when they hold anything else.
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

    /** The JSON object in this text; null when it is anything else. */
    static JsonNode object(String text) {
        try {
            return objectOrNull(MAPPER.readTree(text));
        } catch (JsonProcessingException e) {
            return null;
        }
    }

    /** The text member of that name; null when there is none. */
    static String text(JsonNode object, String name) {
        JsonNode member = object.path(name);
        return member.isTextual() ? member.textValue() : null;
    }

    /** Any value as maps, lists, texts, numbers and booleans. */
    static Object plain(JsonNode node) {
        return node == null ? null : MAPPER.convertValue(node, Object.class);
    }

    private static JsonNode objectOrNull(JsonNode node) {
        return node != null && node.isObject() ? node : null;
    }
}
