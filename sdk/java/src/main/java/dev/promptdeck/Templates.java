package dev.promptdeck;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Renders templates exactly as the service does. */
public final class Templates {
    /** White space of ECMAScript, a superset of Java's {@code \s}. */
    private static final String SPACE =
            "[\\t\\n\\x0B\\f\\r \\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000\\uFEFF]*+";
    private static final Pattern PLACEHOLDER =
            Pattern.compile("\\{\\{" + SPACE + "([A-Za-z0-9_.]++)" + SPACE + "\\}\\}");
    private static final Object NOTHING = new Object();

    private Templates() {}

    /**
     * Replaces each {@code {{name}}} by its value. The full name is looked up first, then its segments ({@code
     * customer.name}, {@code items.0}). Without a value (or with null) the declared default is used; without a
     * default the placeholder remains. Placeholders inside values are not replaced.
     *
     * @param content the template
     * @param values strings, booleans, numbers, maps, lists, arrays, or values that Jackson can convert; null for
     *   none
     * @param declared variables with their defaults; null for none
     * @return the text: strings unchanged, numbers as in ECMAScript, lists and objects as compact JSON
     * @throws InvalidException if a value cannot be converted to JSON
     */
    public static String render(String content, Map<String, ?> values, Collection<PromptVariable> declared) {
        if (content == null) throw new InvalidException("The template must not be null.");
        Map<String, Object> defaults = new HashMap<>();
        if (declared != null) declared.forEach(variable -> defaults.put(variable.name(), variable.defaultValue()));
        Map<String, ?> variables = values == null ? Map.of() : values;
        return PLACEHOLDER.matcher(content).replaceAll(found -> {
            Object value = lookUp(variables, found.group(1));
            if (value == null || value == NOTHING) value = defaults.get(found.group(1));
            return Matcher.quoteReplacement(value == null ? found.group() : format(value));
        });
    }

    /**
     * Renders the messages of a chat: the variables in each content, as in {@link #render}. A placeholder becomes its
     * list of messages, unchanged; without a list it is removed.
     *
     * @param messages messages and placeholders
     * @param values by name; null for none
     * @param declared variables with their defaults; null for none
     * @param placeholders lists of messages by the name of their placeholder; null for none
     * @return the messages
     * @throws InvalidException if a value cannot be converted to JSON, or a list contains null
     */
    public static List<Message> renderMessages(
            List<? extends PromptMessage> messages,
            Map<String, ?> values,
            Collection<PromptVariable> declared,
            Map<String, ? extends List<Message>> placeholders) {
        return Messages.render(messages, values, declared, placeholders);
    }

    private static Object lookUp(Map<String, ?> values, String name) {
        if (values.containsKey(name)) return Plain.of(values.get(name));
        Object value = values;
        // A negative limit keeps empty segments: `a.` names the member of `a` with an empty name.
        for (String part : name.split("\\.", -1)) {
            Object found = member(value, part);
            if (found == NOTHING) return NOTHING;
            value = Plain.of(found);
        }
        return value;
    }

    private static Object member(Object holder, String name) {
        if (holder instanceof Map<?, ?> map) return map.containsKey(name) ? map.get(name) : NOTHING;
        if (!(holder instanceof List<?> list)) return NOTHING;
        // The own properties of an ECMAScript array are its items and its length.
        if (name.equals("length")) return list.size();
        if (!EcmaJson.isIndex(name)) return NOTHING;
        long index = Long.parseLong(name);
        return index < list.size() ? list.get((int) index) : NOTHING;
    }

    private static String format(Object value) {
        Object plain = Plain.of(value);
        if (plain instanceof Number number) return EcmaNumber.format(number);
        return plain instanceof Map || plain instanceof List ? EcmaJson.write(plain) : String.valueOf(plain);
    }
}
