package dev.promptdeck;

/** Where an answered prompt came from. */
public enum PromptSource {
    /** Fetched from the service for this answer. */
    NETWORK,
    /** Held in memory, and current or being refreshed. */
    MEMORY,
    /** The copy on disk, because the service could not say. */
    DISK,
    /** Bundled with the application, because neither the service nor the disk had it. */
    FALLBACK
}
