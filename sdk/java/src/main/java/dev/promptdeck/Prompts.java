package dev.promptdeck;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Looks prompts up in memory, the service, the disk and the bundled texts, in this order. */
final class Prompts {
    private final Fetches fetches;
    private final Disk disk;
    private final LiveConnection live;
    private final Map<String, Prompt> fallbacks;
    private final Duration stale;

    Prompts(Fetches fetches, Disk disk, LiveConnection live, ClientOptions options) {
        this.fetches = fetches;
        this.disk = disk;
        this.live = live;
        this.fallbacks = options.fallbacks();
        this.stale = options.timings().stale();
    }

    /** Returns the prompt in memory if it is current; else null. From any thread. */
    Prompt current(String key) {
        CachedPrompt cached = fetches.cached(key);
        return cached == null || !isCurrent(cached) ? null : cached.prompt();
    }

    /** Looks a prompt up. Call only on the loop. Fails with a {@link PromptdeckException}. */
    CompletableFuture<Prompt> get(String key) {
        KeyState state = fetches.state(key);
        live.addKey(key);
        CachedPrompt cached = fetches.cached(key);
        if (cached != null) {
            if (!isCurrent(cached)) fetches.refetches().refreshIfAllowed(state);
            return CompletableFuture.completedFuture(cached.prompt());
        }
        if (state.isKnownMissing()) return CompletableFuture.failedFuture(state.missing());
        PromptdeckException failure = state.pendingFetch == null ? state.failure() : null;
        if (failure != null) return without(state, failure);
        return fetches.fetch(state).thenCompose(fetched -> fetched.isFound()
                ? CompletableFuture.completedFuture(fetched.prompt().from(PromptSource.NETWORK))
                : without(state, fetched.error()));
    }

    /** Returns true if there is any prompt to serve without the service. */
    CompletableFuture<Boolean> hasAnyCopy() {
        if (fetches.isAnyInMemory() || !fallbacks.isEmpty()) return CompletableFuture.completedFuture(true);
        return disk.isEmpty().thenApply(isEmpty -> !isEmpty);
    }

    private boolean isCurrent(CachedPrompt cached) {
        return live.isUp() || !cached.isOlderThan(stale);
    }

    /**
     * Looks for a copy when the service is not available. After a NotFound result, an old copy must not be served.
     */
    private CompletableFuture<Prompt> without(KeyState state, PromptdeckException error) {
        if (error instanceof NotFoundException) return CompletableFuture.failedFuture(error);
        if (state.missing() != null) return CompletableFuture.failedFuture(state.missing());
        return disk.read(state.key).thenApply(copy -> {
            if (copy != null) return copy;
            Prompt fallback = fallbacks.get(state.key);
            if (fallback == null) throw error;
            return fallback;
        });
    }
}
