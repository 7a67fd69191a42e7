package dev.promptdeck;

/**
 * A prompt that is held or watched changed.
 *
 * @param key the prompt's key
 * @param version what is served now; null when it was deleted
 * @param previousVersion what was held before; null for nothing
 * @param prompt what is served now; null when it was deleted
 */
public record Update(String key, String version, String previousVersion, Prompt prompt) {}
