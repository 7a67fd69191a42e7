package dev.promptdeck;

import java.util.List;
import java.util.Map;

/**
 * A published version of a prompt.
 *
 * @param key such as {@code billing/refund}
 * @param version such as {@code v3}; null in a bundled text without one
 * @param env the environment it is served in
 * @param model the model its author chose; null for none
 * @param content the template, with {@code {{variables}}}
 * @param variables those declared or found, in the service's order
 * @param etag what the service names this state by; null in a bundled text
 * @param source where this answer came from
 */
public record Prompt(
        String key,
        String version,
        String env,
        String model,
        String content,
        List<PromptVariable> variables,
        String etag,
        PromptSource source) {

    /**
     * A text to bundle with an application, see {@link PromptdeckClientBuilder#fallback(Prompt)}.
     *
     * @param key the key it stands in for
     * @param content the template
     * @return a prompt without version, model and variables
     */
    public static Prompt bundled(String key, String content) {
        return new Prompt(key, null, null, null, content, List.of(), null, PromptSource.FALLBACK);
    }

    /**
     * Fills the template in, see {@link Templates#render}.
     *
     * @param values by name; null counts as empty
     * @return the text
     */
    public String render(Map<String, ?> values) {
        return Templates.render(content, values, variables);
    }

    Prompt from(PromptSource other) {
        return source == other ? this : new Prompt(key, version, env, model, content, variables, etag, other);
    }

    /** As it is served when the service and the disk have nothing. */
    Prompt asFallback(String namespace) {
        if (key == null || key.isEmpty() || content == null) {
            throw new InvalidException("A fallback needs a key and a content.");
        }
        List<PromptVariable> declared = variables == null ? List.of() : List.copyOf(variables);
        String place = env == null ? namespace : env;
        return new Prompt(key, version, place, model, content, declared, etag, PromptSource.FALLBACK);
    }
}
