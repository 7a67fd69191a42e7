package dev.promptdeck;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Fetches many prompts in advance. Used only on the loop. */
final class Prefetch {
    private static final int MAX_CONCURRENT = 8;

    private final PromptApi api;
    private final Fetches fetches;
    private final Prompts prompts;
    private final LiveConnection live;
    private final Loop loop;
    /** Number of pages requested but not yet received. */
    private int openPages;

    Prefetch(PromptApi api, Fetches fetches, Prompts prompts, LiveConnection live, Loop loop) {
        this.api = api;
        this.fetches = fetches;
        this.prompts = prompts;
        this.live = live;
        this.loop = loop;
    }

    /** Fetches the keys; fails only if none of them is available. */
    CompletableFuture<Void> keys(Collection<String> keys) {
        List<String> remaining = new ArrayList<>(keys);
        List<CompletableFuture<Boolean>> workers = new ArrayList<>();
        PromptdeckException[] firstError = new PromptdeckException[1];
        for (int i = 0; i < Math.min(MAX_CONCURRENT, keys.size()); i++) {
            workers.add(worker(remaining, false, firstError));
        }
        return CompletableFuture.allOf(workers.toArray(CompletableFuture<?>[]::new)).thenAccept(done -> {
            if (!keys.isEmpty() && workers.stream().noneMatch(CompletableFuture::join)) throw firstError[0];
        });
    }

    /** Fetches all served prompts. */
    CompletableFuture<Void> all() {
        return pages(null, false);
    }

    /**
     * Returns true while a page is requested: it may contain keys as they were before a change that is received now.
     */
    boolean isPaging() {
        return openPages > 0;
    }

    /** Fetches the remaining keys one after the other; the result is true if any was available. */
    private CompletableFuture<Boolean> worker(
            List<String> remaining, boolean hasAny, PromptdeckException[] firstError) {
        if (remaining.isEmpty()) return CompletableFuture.completedFuture(hasAny);
        String key = remaining.remove(0);
        return prefetchOne(key, firstError)
                // A task of its own, because the stack cannot hold one frame for each of many known keys.
                .thenComposeAsync(isAvailable -> worker(remaining, hasAny || isAvailable, firstError), loop);
    }

    private CompletableFuture<Boolean> prefetchOne(String key, PromptdeckException[] firstError) {
        live.addKey(key);
        KeyState state = fetches.state(key);
        if (state.isKnownMissing()) return CompletableFuture.completedFuture(true);
        PromptdeckException failure = state.pendingFetch == null ? state.failure() : null;
        CompletableFuture<Fetched> fetch =
                failure == null ? fetches.fetch(state) : CompletableFuture.completedFuture(Fetched.failed(failure));
        return fetch.thenCompose(fetched -> fetched.isFound() || fetched.isMissing()
                ? CompletableFuture.completedFuture(true)
                : prompts.get(key).handle((ignored, error) -> {
                    if (error != null && firstError[0] == null) firstError[0] = fetched.error();
                    return error == null;
                }));
    }

    private CompletableFuture<Void> pages(String cursor, boolean hasAny) {
        long requestedAt = System.nanoTime();
        int connection = live.connectionNumber();
        openPages += 1;
        return api.page(cursor).handle((page, error) -> {
            openPages -= 1;
            boolean isCovered = connection != LiveConnection.NO_CONNECTION && connection == live.connectionNumber();
            if (error == null) return keep(page, requestedAt, isCovered);
            if (hasAny) return CompletableFuture.<Void>completedFuture(null);
            return prompts.hasAnyCopy().thenAccept(hasCopy -> {
                if (!hasCopy) throw Failures.of(error);
            });
        }).thenCompose(ignored -> ignored);
    }

    private CompletableFuture<Void> keep(PromptApi.Page page, long requestedAt, boolean isCovered) {
        List<CompletableFuture<Void>> stored = new ArrayList<>();
        for (Prompt prompt : page.prompts()) {
            live.addKey(prompt.key());
            KeyState state = fetches.state(prompt.key());
            CachedPrompt cached = fetches.cached(prompt.key());
            // A prompt fetched or announced after the request for the page is at least as new.
            boolean isNewer = state.pendingFetch != null
                    || state.isDirty
                    || state.isMissingSince(requestedAt)
                    || cached != null && cached.checkedAt() - requestedAt > 0;
            if (!isNewer) stored.add(fetches.keep(state, prompt, isCovered));
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(stored.toArray(CompletableFuture<?>[]::new));
        return page.nextCursor() == null ? all : all.thenCompose(done -> pages(page.nextCursor(), true));
    }
}
