package dev.promptdeck;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** Keeps prompts current, from events of the live connection or by polling without one. Used only on the loop. */
final class Watch {
    /** The service stores this many versions per client, and disconnects clients that send too many frames at once. */
    private static final int MAX_ACKNOWLEDGED = 1000;

    private final Fetches fetches;
    private final Prefetch prefetch;
    private final LiveConnection live;
    private final Loop loop;
    private final Events events;
    private final Duration pollPause;
    private Future<?> poll;

    Watch(Fetches fetches, Prefetch prefetch, LiveConnection live, Loop loop, Events events, Timings timings) {
        this.fetches = fetches;
        this.prefetch = prefetch;
        this.live = live;
        this.loop = loop;
        this.events = events;
        this.pollPause = timings.poll();
    }

    /** Completes when connected; immediately if it was started before. */
    CompletableFuture<Void> start(Collection<String> keys) {
        for (String key : keys) {
            fetches.state(key).isWatched = true;
            live.addKey(key);
        }
        if (live.isStarted()) return CompletableFuture.completedFuture(null);
        CompletableFuture<Void> up = live.whenUp();
        live.start(this);
        pollLater();
        return up;
    }

    void connected() {
        if (poll != null) poll.cancel(false);
        poll = null;
        int acknowledged = 0;
        for (KeyState state : fetches.states()) {
            state.lastAck = null;
            state.isUnacknowledged = fetches.cached(state.key) != null && acknowledged++ < MAX_ACKNOWLEDGED;
            if (fetches.cached(state.key) == null) continue;
            if (state.isCovered) fetches.acknowledge(state, KeyState.NONE);
            else fetches.refetches().require(state);
        }
    }

    void disconnected() {
        if (poll == null) pollLater();
    }

    /** Some changes may not have been received: all prompts are fetched again after the connection opens. */
    void replayCutOff() {
        fetches.states().forEach(state -> state.isCovered = false);
    }

    void resync(long seq) {
        events.emit(new Resync(seq));
        for (KeyState state : fetches.states()) {
            state.isCovered = false;
            state.seenSeq = KeyState.NONE;
            if (fetches.isInUse(state)) fetches.refetches().require(state);
        }
    }

    void prompt(String key, long seq, boolean isDeleted) {
        // A page of all prompts may contain any key as it was before the change.
        if (!fetches.isKnown(key) && !prefetch.isPaging()) return;
        KeyState state = fetches.state(key);
        if (seq <= state.seenSeq) return;
        state.seenSeq = seq;
        // An earlier NotFound result may be outdated.
        if (state.missing() != null && state.pendingFetch == null) state.clear();
        if (isDeleted) {
            fetches.delete(state);
            return;
        }
        state.openSeq = seq;
        fetches.refetches().require(state);
    }

    private void pollLater() {
        poll = loop.after(pollPause, () -> {
            poll = null;
            if (live.isUp()) return;
            for (KeyState state : fetches.states()) {
                if (fetches.isInUse(state)) fetches.refetches().refreshIfAllowed(state);
            }
            pollLater();
        });
    }
}
