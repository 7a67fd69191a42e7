package dev.promptdeck;

/**
 * The client missed too many changes: all prompts in memory are fetched again.
 *
 * @param seq sequence number from which events continue
 */
public record Resync(long seq) {}
