package dev.promptdeck;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes compact JSON, byte for byte like JavaScript's {@code JSON.stringify} of the parsed value. */
final class EcmaJson {
    /** Deeper values are cyclic, or exceed what the service accepts. */
    private static final int MAX_DEPTH = 500;
    /** The largest index of an ECMAScript array. Member names up to it come first in an object, in numeric order. */
    private static final long MAX_INDEX = 4_294_967_294L;

    private final StringBuilder out = new StringBuilder();

    private EcmaJson() {}

    /**
     * Writes any value that {@link Plain} supports.
     *
     * @throws InvalidException if it is nested too deep, or contains a value that is not JSON
     */
    static String write(Object value) {
        EcmaJson json = new EcmaJson();
        json.value(value, 0);
        return json.out.toString();
    }

    private void value(Object raw, int depth) {
        if (depth > MAX_DEPTH) throw new InvalidException("A value is nested too deep, or contains itself.");
        Object value = Plain.of(raw);
        if (value instanceof String text) quote(text);
        else if (value instanceof Number number) number(number);
        else if (value instanceof List<?> list) list(list, depth);
        else if (value instanceof Map<?, ?> map) object(map, depth);
        else out.append(value);
    }

    private void number(Number number) {
        out.append(Double.isFinite(number.doubleValue()) ? EcmaNumber.format(number) : "null");
    }

    private void list(List<?> list, int depth) {
        out.append('[');
        String separator = "";
        for (Object item : list) {
            out.append(separator);
            value(item, depth + 1);
            separator = ",";
        }
        out.append(']');
    }

    private void object(Map<?, ?> map, int depth) {
        out.append('{');
        String separator = "";
        for (Map.Entry<String, Object> member : inOrder(map).entrySet()) {
            out.append(separator);
            quote(member.getKey());
            out.append(':');
            value(member.getValue(), depth + 1);
            separator = ",";
        }
        out.append('}');
    }

    /** Returns the members in ECMAScript order: index names by number, then the others in insertion order. */
    private static Map<String, Object> inOrder(Map<?, ?> map) {
        List<String> indices = new ArrayList<>();
        Map<String, Object> members = new LinkedHashMap<>();
        map.forEach((key, value) -> {
            String name = String.valueOf(key);
            if (isIndex(name)) indices.add(name);
            members.put(name, value);
        });
        if (indices.isEmpty()) return members;
        indices.sort(Comparator.comparingLong(Long::parseLong));
        Map<String, Object> ordered = new LinkedHashMap<>();
        for (String index : indices) ordered.put(index, members.get(index));
        members.forEach(ordered::putIfAbsent);
        return ordered;
    }

    /** Returns true if the name is the decimal form of a number from 0 to {@value #MAX_INDEX}. */
    static boolean isIndex(String name) {
        if (name.isEmpty() || name.length() > 10 || (name.length() > 1 && name.charAt(0) == '0')) return false;
        for (int at = 0; at < name.length(); at++) {
            if (name.charAt(at) < '0' || name.charAt(at) > '9') return false;
        }
        return Long.parseLong(name) <= MAX_INDEX;
    }

    private void quote(String text) {
        out.append('"');
        for (int at = 0; at < text.length(); at++) {
            char unit = text.charAt(at);
            switch (unit) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\b' -> out.append("\\b");
                case '\t' -> out.append("\\t");
                case '\n' -> out.append("\\n");
                case '\f' -> out.append("\\f");
                case '\r' -> out.append("\\r");
                default -> {
                    if (unit < 0x20 || isLoneSurrogate(text, at)) out.append(String.format("\\u%04x", (int) unit));
                    else out.append(unit);
                }
            }
        }
        out.append('"');
    }

    private static boolean isLoneSurrogate(String text, int at) {
        char unit = text.charAt(at);
        if (Character.isHighSurrogate(unit)) {
            return at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1));
        }
        return Character.isLowSurrogate(unit) && (at == 0 || !Character.isHighSurrogate(text.charAt(at - 1)));
    }
}
