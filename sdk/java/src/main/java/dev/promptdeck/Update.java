package dev.promptdeck;

/**
 * A prompt in memory, or a watched one, changed.
 *
 * @param key the prompt's key
 * @param version the served version; null if the prompt was deleted
 * @param previousVersion the previous version in memory, or null
 * @param prompt the served prompt; null if it was deleted
 */
public record Update(String key, String version, String previousVersion, Prompt prompt) {}
