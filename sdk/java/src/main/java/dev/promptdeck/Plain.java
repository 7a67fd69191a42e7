package dev.promptdeck;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Converts Java values to JSON types: null, {@link String}, {@link Boolean}, {@link Number}, {@link List}, {@link
 * Map}.
 */
final class Plain {
    private Plain() {}

    /**
     * Converts one level; members of lists and maps are converted on access.
     *
     * @throws InvalidException for an object that Jackson cannot convert to JSON
     */
    static Object of(Object value) {
        if (value == null || value instanceof String || value instanceof Boolean || value instanceof Number) return value;
        if (value instanceof Map || value instanceof List) return value;
        if (value instanceof CharSequence || value instanceof Character) return value.toString();
        if (value instanceof Optional<?> optional) return of(optional.orElse(null));
        if (value instanceof Object[] items) return Arrays.asList(items);
        if (value instanceof byte[] bytes) return Base64.getEncoder().encodeToString(bytes);
        if (value.getClass().isArray()) return listOf(value);
        if (value instanceof Iterable<?> items && !(value instanceof JsonNode)) return listOf(items);
        try {
            return Json.MAPPER.convertValue(value, Object.class);
        } catch (IllegalArgumentException e) {
            throw new InvalidException("A " + value.getClass().getName() + " cannot be converted to JSON. Use a map, a"
                    + " list, a text, a number or a boolean instead.", e);
        }
    }

    private static List<Object> listOf(Object array) {
        List<Object> list = new ArrayList<>();
        for (int index = 0; index < Array.getLength(array); index++) list.add(Array.get(array, index));
        return list;
    }

    private static List<Object> listOf(Iterable<?> items) {
        List<Object> list = new ArrayList<>();
        items.forEach(list::add);
        return list;
    }
}
