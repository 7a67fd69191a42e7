package dev.promptdeck;

/**
 * The live connection is open.
 *
 * @param clientId id of this client in the service's list
 * @param seq sequence number of the newest event at that time
 */
public record Connected(String clientId, long seq) {}
