package dev.promptdeck;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** Keeps prompts current by what the live connection tells, or by asking while there is none. On the loop. */
final class Watch {
    /** The service remembers no more versions per client, and cuts off who sends too many frames at once. */
    private static final int MOST_TOLD = 1000;

    private final Fetches fetches;
    private final Prefetch prefetch;
    private final Link link;
    private final Loop loop;
    private final Events events;
    private final Duration pollPause;
    private Future<?> poll;

    Watch(Fetches fetches, Prefetch prefetch, Link link, Loop loop, Events events, Timings timings) {
        this.fetches = fetches;
        this.prefetch = prefetch;
        this.link = link;
        this.loop = loop;
        this.events = events;
        this.pollPause = timings.poll();
    }

    /** Done when connected; at once when it was started before. */
    CompletableFuture<Void> start(Collection<String> keys) {
        for (String key : keys) {
            fetches.state(key).isWatched = true;
            link.addKey(key);
        }
        if (link.isStarted()) return CompletableFuture.completedFuture(null);
        CompletableFuture<Void> up = link.whenUp();
        link.start(this);
        pollLater();
        return up;
    }

    void connected() {
        if (poll != null) poll.cancel(false);
        poll = null;
        int told = 0;
        for (KeyState state : fetches.states()) {
            state.told = null;
            state.isUntold = fetches.held(state.key) != null && told++ < MOST_TOLD;
            if (fetches.held(state.key) == null) continue;
            if (state.isCovered) fetches.tellHeld(state, KeyState.NONE);
            else fetches.refetches().need(state);
        }
    }

    void disconnected() {
        if (poll == null) pollLater();
    }

    /** Some changes may not have been told: all is fetched again once connected. */
    void replayCutOff() {
        fetches.states().forEach(state -> state.isCovered = false);
    }

    void resync(long seq) {
        events.emit(new Resync(seq));
        for (KeyState state : fetches.states()) {
            state.isCovered = false;
            state.seenSeq = KeyState.NONE;
            if (fetches.isHeldOrWatched(state)) fetches.refetches().need(state);
        }
    }

    void prompt(String key, long seq, boolean isDeleted) {
        // A page of all may bring any key as it was before the change.
        if (!fetches.isAskedFor(key) && !prefetch.isPaging()) return;
        KeyState state = fetches.state(key);
        if (seq <= state.seenSeq) return;
        state.seenSeq = seq;
        // Whatever was said of it before may be otherwise now.
        if (state.missing() != null && state.flight == null) state.clear();
        if (isDeleted) {
            fetches.delete(state);
            return;
        }
        state.openSeq = seq;
        fetches.refetches().need(state);
    }

    private void pollLater() {
        poll = loop.after(pollPause, () -> {
            poll = null;
            if (link.isUp()) return;
            for (KeyState state : fetches.states()) {
                if (fetches.isHeldOrWatched(state)) fetches.refetches().look(state);
            }
            pollLater();
        });
    }
}
