package dev.promptdeck;

/** A prompt is one text, or a list of messages. */
public enum PromptType {
    /** One text. */
    TEXT,
    /** A list of messages. */
    CHAT
}
