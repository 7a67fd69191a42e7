package dev.promptdeck;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Fetches prompts, one request at a time per key, into memory and onto disk. Used only on the loop, except
 * {@link #cached}.
 */
final class Fetches {
    /** Above this number, idle states are removed, in case an application requests new keys all the time. */
    private static final int MAX_STATES = 10_000;

    private final PromptApi api;
    private final Disk disk;
    private final Events events;
    private final Token token;
    private final LiveConnection live;
    private final Timings timings;
    private final Refetches refetches;
    private final Map<String, KeyState> states = new HashMap<>();
    private final Map<String, CachedPrompt> memory = new ConcurrentHashMap<>();

    Fetches(PromptApi api, Disk disk, Events events, Token token, LiveConnection live, Loop loop, Timings timings) {
        this.api = api;
        this.disk = disk;
        this.events = events;
        this.token = token;
        this.live = live;
        this.timings = timings;
        this.refetches = new Refetches(this, loop);
    }

    /** Returns the prompt in memory, or null. From any thread. */
    CachedPrompt cached(String key) {
        return memory.get(key);
    }

    Refetches refetches() {
        return refetches;
    }

    /** Returns true if the application requested or watches the key, even if no prompt has it. */
    boolean isKnown(String key) {
        return states.containsKey(key);
    }

    KeyState state(String key) {
        KeyState known = states.get(key);
        if (known != null) return known;
        if (states.size() >= MAX_STATES && states.size() % 1000 == 0) {
            states.values().removeIf(state -> state.isIdle() && !memory.containsKey(state.key));
        }
        KeyState state = new KeyState(key, timings);
        states.put(key, state);
        return state;
    }

    Collection<KeyState> states() {
        return List.copyOf(states.values());
    }

    boolean isInUse(KeyState state) {
        return state.isWatched || memory.containsKey(state.key);
    }

    boolean isAnyInMemory() {
        return !memory.isEmpty();
    }

    /** Returns the fetch in progress, else starts one. The future never fails: errors are part of the result. */
    CompletableFuture<Fetched> fetch(KeyState state) {
        if (state.pendingFetch == null) {
            state.pendingFetch = new KeyState.PendingFetch();
            request(state);
        }
        return state.pendingFetch.result;
    }

    /**
     * Fetches without a waiting caller: the result is announced as an update if it differs from the prompt in
     * memory.
     */
    CompletableFuture<Fetched> fetchInBackground(KeyState state) {
        CompletableFuture<Fetched> result = fetch(state);
        state.pendingFetch.isBackground = true;
        return result;
    }

    /** Handles a deletion announced by the service: removes the copies and allows an immediate new request. */
    void delete(KeyState state) {
        boolean isAnnounced = isInUse(state);
        CachedPrompt before = memory.remove(state.key);
        disk.delete(state.key);
        state.setMissing(new NotFoundException(state.key + " was deleted."), Duration.ZERO);
        state.isDirty = false;
        state.openSeq = KeyState.NONE;
        if (state.pendingFetch != null) state.pendingFetch.isOutdated = true;
        if (isAnnounced) {
            events.emit(new Update(state.key, null, before == null ? null : before.prompt().version(), null));
        }
    }

    /**
     * Stores a prompt from a page of all prompts. Completes once it is on disk too.
     *
     * @param isCovered true if all changes since the request for the page were announced
     */
    CompletableFuture<Void> keep(KeyState state, Prompt prompt, boolean isCovered) {
        state.clear();
        state.isCovered |= isCovered;
        CompletableFuture<Void> storing = store(state, prompt).thenAccept(update -> {
            // A newer deletion or replacement may have been announced already.
            CachedPrompt cached = memory.get(state.key);
            if (update != null && cached != null && isSame(cached.prompt(), prompt)) events.emit(update);
            acknowledge(state, KeyState.NONE);
        });
        if (!isCovered && live.isUp()) refetches.require(state);
        return storing;
    }

    /**
     * Acknowledges the version in use, unless that was done already.
     *
     * @param seq the event to acknowledge; {@link KeyState#NONE} for none
     */
    void acknowledge(KeyState state, long seq) {
        CachedPrompt cached = memory.get(state.key);
        if (cached == null || !live.isUp() || !state.isUnacknowledged && seq == KeyState.NONE) return;
        state.isUnacknowledged = false;
        KeyState.Acknowledgement ack =
                new KeyState.Acknowledgement(seq == KeyState.NONE ? live.newestSeq() : seq, cached.prompt().version());
        if (ack.equals(state.lastAck)) return;
        state.lastAck = ack;
        live.ack(ack.seq(), state.key, ack.version());
    }

    /** Allows requests that failed with the old token to be repeated. */
    void tokenChanged() {
        for (KeyState state : states()) {
            if (!state.isRejected()) continue;
            state.clear();
            if (state.isDirty) refetches.require(state);
        }
    }

    private void request(KeyState state) {
        KeyState.PendingFetch pendingFetch = state.pendingFetch;
        pendingFetch.isOutdated = false;
        pendingFetch.isCovered = live.isUp();
        pendingFetch.secret = token.get();
        if (state.openSeq != KeyState.NONE) pendingFetch.seq = state.openSeq;
        state.openSeq = KeyState.NONE;
        state.isAgain = false;
        CachedPrompt cached = memory.get(state.key);
        api.fetch(state.key, cached == null ? null : cached.prompt())
                .thenAccept(fetched -> handleResult(state, fetched));
    }

    private void handleResult(KeyState state, Fetched fetched) {
        KeyState.PendingFetch pendingFetch = state.pendingFetch;
        boolean isRejected =
                fetched.error() instanceof UnauthorizedException || fetched.error() instanceof ForbiddenException;
        if (pendingFetch.isOutdated || (isRejected && !Objects.equals(pendingFetch.secret, token.get()))) {
            request(state);
            return;
        }
        storeResult(state, fetched).thenAccept(update -> {
            if (pendingFetch.isOutdated) request(state);
            else finish(state, fetched, update);
        });
    }

    /** Returns the update to announce, or null, once the result is in memory and on disk. */
    private CompletableFuture<Update> storeResult(KeyState state, Fetched fetched) {
        if (fetched.isFound()) {
            state.clear();
            state.isCovered |= state.pendingFetch.isCovered;
            return store(state, fetched.prompt());
        }
        if (!fetched.isMissing()) {
            state.fail(fetched);
            return CompletableFuture.completedFuture(null);
        }
        state.setMissing((NotFoundException) fetched.error(), timings.negative());
        CachedPrompt before = memory.remove(state.key);
        // Emit immediately: a frame that arrives during the disk access finds nothing in memory and announces nothing.
        if (before != null) events.emit(new Update(state.key, null, before.prompt().version(), null));
        return disk.delete(state.key).thenApply(done -> null);
    }

    private CompletableFuture<Update> store(KeyState state, Prompt prompt) {
        CachedPrompt before = memory.put(state.key, CachedPrompt.now(prompt));
        if (before != null && isSame(before.prompt(), prompt)) return CompletableFuture.completedFuture(null);
        state.isUnacknowledged = true;
        // The first fetch for an application is not a change.
        boolean isAnnounced = before != null
                || state.wasReportedMissing
                || state.pendingFetch != null && state.pendingFetch.isBackground;
        String previous = before == null ? null : before.prompt().version();
        Update update = new Update(state.key, prompt.version(), previous, prompt.from(PromptSource.NETWORK));
        return disk.write(prompt).thenApply(done -> isAnnounced ? update : null);
    }

    private static boolean isSame(Prompt first, Prompt second) {
        return Objects.equals(first.etag(), second.etag()) && Objects.equals(first.version(), second.version());
    }

    private void finish(KeyState state, Fetched fetched, Update update) {
        KeyState.PendingFetch pendingFetch = state.pendingFetch;
        state.pendingFetch = null;
        boolean isAnswered = fetched.isFound() || fetched.isMissing();
        if (update != null) events.emit(update);
        if (isAnswered) state.isDirty = false;
        else state.openSeq = Math.max(state.openSeq, pendingFetch.seq);
        if (fetched.isFound()) acknowledge(state, pendingFetch.seq);
        if (state.isAgain || state.isDirty) refetches.require(state);
        pendingFetch.result.complete(fetched);
    }
}
