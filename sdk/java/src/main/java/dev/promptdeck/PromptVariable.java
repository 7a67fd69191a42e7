package dev.promptdeck;

/**
 * A variable of a prompt, declared or detected in its text.
 *
 * @param name letters, digits, {@code _} and {@code .}
 * @param required true if its author requires a value
 * @param defaultValue a {@link String}, {@link Number} or {@link Boolean} that replaces a missing value; null for
 *   none
 * @param description its purpose; may be empty
 * @param type {@code string}, {@code number}, {@code boolean} or {@code json}
 * @param example a sample value, for people and tests; null for none
 */
public record PromptVariable(
        String name, boolean required, Object defaultValue, String description, String type, Object example) {
    /**
     * Creates a variable without a sample value.
     *
     * @param name letters, digits, {@code _} and {@code .}
     * @param required true if its author requires a value
     * @param defaultValue replaces a missing value; null for none
     * @param description its purpose; may be empty
     * @param type {@code string}, {@code number}, {@code boolean} or {@code json}
     */
    public PromptVariable(String name, boolean required, Object defaultValue, String description, String type) {
        this(name, required, defaultValue, description, type, null);
    }

    /**
     * Creates an optional variable of type {@code string} without a description.
     *
     * @param name letters, digits, {@code _} and {@code .}
     * @param defaultValue replaces a missing value; null for none
     */
    public PromptVariable(String name, Object defaultValue) {
        this(name, false, defaultValue, "", "string", null);
    }
}
