package dev.promptdeck;

/** A message of a chat prompt: a {@link Message}, or a {@link MessagePlaceholder} for a list of messages. */
public sealed interface PromptMessage permits Message, MessagePlaceholder {}
