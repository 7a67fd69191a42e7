package dev.promptdeck;

/**
 * The place in a chat prompt at which a list of messages is inserted, such as the history of a conversation.
 *
 * @param name the name under which the messages are given
 */
public record MessagePlaceholder(String name) implements PromptMessage {}
