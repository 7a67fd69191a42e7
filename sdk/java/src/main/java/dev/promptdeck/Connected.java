package dev.promptdeck;

/**
 * The live connection is up.
 *
 * @param clientId what the service lists this client as
 * @param seq the number of the newest event at that time
 */
public record Connected(String clientId, long seq) {}
