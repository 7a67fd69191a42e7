package dev.promptdeck;

/**
 * The client was away for too long to be told each change: everything it holds is fetched again.
 *
 * @param seq the number events go on from
 */
public record Resync(long seq) {}
