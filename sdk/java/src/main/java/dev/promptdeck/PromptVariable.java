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
 */
public record PromptVariable(String name, boolean required, Object defaultValue, String description, String type) {
    /**
     * Creates an optional variable of type {@code string} without a description.
     *
     * @param name letters, digits, {@code _} and {@code .}
     * @param defaultValue replaces a missing value; null for none
     */
    public PromptVariable(String name, Object defaultValue) {
        this(name, false, defaultValue, "", "string");
    }
}
