package dev.promptdeck;

import java.util.List;
import java.util.Map;

/**
 * A published version of a prompt.
 *
 * @param key such as {@code billing/refund}
 * @param version such as {@code v3}; null for a bundled text without one
 * @param env environment in which it is served
 * @param model the model that its author chose, or null
 * @param content the template, with {@code {{variables}}}
 * @param variables declared and detected variables, in the service's order
 * @param etag the service's ETag of this state; null for a bundled text
 * @param source origin of this copy
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
     * Creates a text to bundle with an application, see {@link PromptdeckClientBuilder#fallback(Prompt)}.
     *
     * @param key the key for which it is served
     * @param content the template
     * @return a prompt without version, model and variables
     */
    public static Prompt bundled(String key, String content) {
        return new Prompt(key, null, null, null, content, List.of(), null, PromptSource.FALLBACK);
    }

    /**
     * Renders the template, see {@link Templates#render}.
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

    /** Returns the fallback to serve when neither the service nor the disk has the prompt. */
    Prompt asFallback(String namespace) {
        if (key == null || key.isEmpty() || content == null) {
            throw new InvalidException("A fallback requires a key and a content.");
        }
        List<PromptVariable> declared = variables == null ? List.of() : List.copyOf(variables);
        String environment = env == null ? namespace : env;
        return new Prompt(key, version, environment, model, content, declared, etag, PromptSource.FALLBACK);
    }
}
