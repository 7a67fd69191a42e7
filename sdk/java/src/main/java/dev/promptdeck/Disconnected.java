package dev.promptdeck;

/**
 * The live connection ended. The client opens another by itself.
 *
 * @param code the WebSocket close code; 1006 when the connection broke
 * @param reason what the service said; may be empty
 */
public record Disconnected(int code, String reason) {}
