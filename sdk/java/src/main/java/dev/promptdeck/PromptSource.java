package dev.promptdeck;

/** Origin of a returned prompt. */
public enum PromptSource {
    /** Fetched from the service for this call. */
    NETWORK,
    /** From memory, and current or being refreshed. */
    MEMORY,
    /** The copy on disk, because the service was not available. */
    DISK,
    /** Bundled with the application, because neither the service nor the disk had it. */
    FALLBACK
}
