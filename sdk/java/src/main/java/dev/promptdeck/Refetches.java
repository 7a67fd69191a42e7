package dev.promptdeck;

import java.util.LinkedHashSet;
import java.util.Set;

/** Background fetches, a limited number at a time. Used only on the loop. */
final class Refetches {
    private static final int MAX_CONCURRENT = 8;

    private final Fetches fetches;
    private final Loop loop;
    private final Set<KeyState> waiting = new LinkedHashSet<>();
    private int running;

    Refetches(Fetches fetches, Loop loop) {
        this.fetches = fetches;
        this.loop = loop;
    }

    /** Requires a fetch, because the prompt in memory is or may be outdated; repeated until it succeeds. */
    void require(KeyState state) {
        state.isDirty = true;
        if (state.pendingFetch != null) {
            state.isAgain = true;
            return;
        }
        if (state.failure() == null) {
            add(state);
            return;
        }
        if (state.retry != null) state.retry.cancel(false);
        state.retry = loop.after(state.untilRetry(), () -> {
            state.retry = null;
            if (state.isDirty) require(state);
        });
    }

    /** Requests a fetch, unless the last one failed or found nothing too recently. */
    void refreshIfAllowed(KeyState state) {
        if (state.pendingFetch == null && state.failure() == null && !state.isKnownMissing()) add(state);
    }

    private void add(KeyState state) {
        waiting.add(state);
        startNext();
    }

    private void startNext() {
        var states = waiting.iterator();
        while (running < MAX_CONCURRENT && states.hasNext()) {
            KeyState state = states.next();
            states.remove();
            // Another caller has started a fetch meanwhile, which is sufficient.
            if (state.pendingFetch != null) continue;
            running += 1;
            fetches.fetchInBackground(state).thenAccept(fetched -> {
                running -= 1;
                startNext();
            });
        }
    }
}
