package dev.promptdeck;

import java.util.List;

/**
 * A message of a conversation.
 *
 * @param role {@code system}, {@code user}, {@code assistant} or {@code tool}
 * @param content the text; in a prompt with {@code {{variables}}}
 * @param toolCalls the calls that an assistant requested; empty if there are none
 * @param toolCallId of a tool's message: the call that it is the result of; else null
 * @param name of a tool's message: the tool; null if it is not set
 */
public record Message(String role, String content, List<ToolCall> toolCalls, String toolCallId, String name)
        implements PromptMessage {

    /**
     * Copies the tool calls; null becomes an empty list.
     *
     * @param role {@code system}, {@code user}, {@code assistant} or {@code tool}
     * @param content the text
     * @param toolCalls the calls that an assistant requested, or null
     * @param toolCallId of a tool's message: the call that it is the result of; else null
     * @param name of a tool's message: the tool; null if it is not set
     */
    public Message {
        toolCalls = toolCalls == null ? List.of() : List.copyOf(toolCalls);
    }

    /**
     * Creates a message that is neither a tool's nor requests tool calls.
     *
     * @param role {@code system}, {@code user} or {@code assistant}
     * @param content the text
     * @return the message
     */
    public static Message of(String role, String content) {
        return new Message(role, content, List.of(), null, null);
    }

    /**
     * Creates the result of a tool call.
     *
     * @param toolCallId the call
     * @param content the result
     * @return a message with the role {@code tool}
     */
    public static Message tool(String toolCallId, String content) {
        return new Message("tool", content, List.of(), toolCallId, null);
    }

    Message withContent(String other) {
        return new Message(role, other, toolCalls, toolCallId, name);
    }
}
