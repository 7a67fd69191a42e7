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
 * @param content the template, with {@code {{variables}}}; of a chat its messages as one text
 * @param variables declared and detected variables, in the service's order
 * @param etag the service's ETag of this state; null for a bundled text
 * @param source origin of this copy
 * @param messages the messages of a chat; null for a text
 * @param params model parameters such as {@code temperature}, {@code max_output_tokens}, {@code tools} and
 *   {@code response_format}; empty if there are none
 */
public record Prompt(
        String key,
        String version,
        String env,
        String model,
        String content,
        List<PromptVariable> variables,
        String etag,
        PromptSource source,
        List<PromptMessage> messages,
        Map<String, Object> params) {

    /**
     * Copies the messages; null parameters become an empty map.
     *
     * @param key such as {@code billing/refund}
     * @param version such as {@code v3}; null for a bundled text without one
     * @param env environment in which it is served
     * @param model the model that its author chose, or null
     * @param content the template; of a chat its messages as one text
     * @param variables declared and detected variables
     * @param etag the service's ETag; null for a bundled text
     * @param source origin of this copy
     * @param messages the messages of a chat; null for a text
     * @param params model parameters, or null
     */
    public Prompt {
        messages = messages == null ? null : List.copyOf(messages);
        params = params == null ? Map.of() : params;
    }

    /**
     * Creates a text without parameters.
     *
     * @param key such as {@code billing/refund}
     * @param version such as {@code v3}; null for a bundled text without one
     * @param env environment in which it is served
     * @param model the model that its author chose, or null
     * @param content the template, with {@code {{variables}}}
     * @param variables declared and detected variables
     * @param etag the service's ETag; null for a bundled text
     * @param source origin of this copy
     */
    public Prompt(
            String key,
            String version,
            String env,
            String model,
            String content,
            List<PromptVariable> variables,
            String etag,
            PromptSource source) {
        this(key, version, env, model, content, variables, etag, source, null, Map.of());
    }

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
     * Creates a chat to bundle with an application, see {@link PromptdeckClientBuilder#fallback(Prompt)}.
     *
     * @param key the key for which it is served
     * @param messages its messages and placeholders
     * @return a prompt without version, model and variables
     */
    public static Prompt bundled(String key, List<PromptMessage> messages) {
        String text = Messages.text(messages);
        return new Prompt(key, null, null, null, text, List.of(), null, PromptSource.FALLBACK, messages, Map.of());
    }

    /**
     * Returns the type of the prompt.
     *
     * @return {@code CHAT} if it has messages
     */
    public PromptType type() {
        return messages == null ? PromptType.TEXT : PromptType.CHAT;
    }

    /**
     * Renders the messages, see {@link Templates#renderMessages}. A text becomes one message of the user.
     *
     * @param values by name; null counts as empty
     * @param placeholders lists of messages to insert, by the name of their placeholder; null counts as empty
     * @return the messages
     */
    public List<Message> renderMessages(Map<String, ?> values, Map<String, ? extends List<Message>> placeholders) {
        List<PromptMessage> template = messages == null ? List.of(Message.of("user", content)) : messages;
        return Templates.renderMessages(template, values, variables, placeholders);
    }

    /**
     * Renders the text, see {@link Templates#render}. For a chat, use {@link #renderMessages}.
     *
     * @param values by name; null counts as empty
     * @return the text
     */
    public String render(Map<String, ?> values) {
        return Templates.render(content, values, variables);
    }

    Prompt from(PromptSource other) {
        return source == other
                ? this
                : new Prompt(key, version, env, model, content, variables, etag, other, messages, params);
    }

    /** Returns the fallback to serve when neither the service nor the disk has the prompt. */
    Prompt asFallback(String namespace) {
        String text = content == null && messages != null ? Messages.text(messages) : content;
        if (key == null || key.isEmpty() || text == null) {
            throw new InvalidException("A fallback requires a key and a content.");
        }
        List<PromptVariable> declared = variables == null ? List.of() : List.copyOf(variables);
        String environment = env == null ? namespace : env;
        return new Prompt(
                key, version, environment, model, text, declared, etag, PromptSource.FALLBACK, messages, params);
    }
}
