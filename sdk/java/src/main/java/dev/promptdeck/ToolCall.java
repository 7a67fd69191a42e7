package dev.promptdeck;

/**
 * A call of a tool that a model requested.
 *
 * @param id identifies the call; the tool's message repeats it
 * @param name the tool
 * @param arguments parsed JSON, usually a {@link java.util.Map}
 */
public record ToolCall(String id, String name, Object arguments) {}
