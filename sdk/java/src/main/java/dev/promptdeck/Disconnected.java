package dev.promptdeck;

/**
 * The live connection ended. The client reconnects.
 *
 * @param code the WebSocket close code; 1006 if the connection was lost
 * @param reason the reason from the service; may be empty
 */
public record Disconnected(int code, String reason) {}
