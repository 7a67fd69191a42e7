package dev.promptdeck;

import java.util.Locale;

/** The class of an error in snake case: {@code RateLimitException} becomes {@code rate_limit_exception}. */
final class ErrorType {
    private static final int MAX_CHARACTERS = 64;

    private ErrorType() {}

    static String of(Throwable error) {
        Class<?> type = error.getClass();
        // Anonymous classes have no simple name.
        while (type.getSimpleName().isEmpty()) type = type.getSuperclass();
        return snake(type.getSimpleName());
    }

    /** Converts a name to the form that the service accepts: ASCII, a letter first, at most 64 characters. */
    static String snake(String name) {
        String words = name.replaceAll("([a-z0-9])([A-Z])", "$1_$2").replaceAll("([A-Z]+)([A-Z][a-z])", "$1_$2");
        String word = words.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_").replaceAll("^[^a-z]+", "");
        if (word.isEmpty()) return "error";
        return word.length() <= MAX_CHARACTERS ? word : word.substring(0, MAX_CHARACTERS);
    }
}
