package dev.promptdeck;

/**
 * A variable of a prompt, declared by somebody or found in its text.
 *
 * @param name letters, digits, {@code _} and {@code .}
 * @param required whether its author wants a value to be given
 * @param defaultValue a {@link String}, {@link Number} or {@link Boolean} that stands in for a missing value; null for none
 * @param description what it is for; may be empty
 * @param type {@code string}, {@code number}, {@code boolean} or {@code json}
 */
public record PromptVariable(String name, boolean required, Object defaultValue, String description, String type) {
    /**
     * An optional variable of type {@code string} without a description.
     *
     * @param name letters, digits, {@code _} and {@code .}
     * @param defaultValue stands in for a missing value; null for none
     */
    public PromptVariable(String name, Object defaultValue) {
        this(name, false, defaultValue, "", "string");
    }
}
