package dev.promptdeck;

import java.util.LinkedHashSet;
import java.util.Set;

/** Fetches nobody waits for: a few at a time, however many prompts changed at once. On the loop. */
final class Refetches {
    private static final int MOST_AT_ONCE = 8;

    private final Fetches fetches;
    private final Loop loop;
    private final Set<KeyState> waiting = new LinkedHashSet<>();
    private int running;

    Refetches(Fetches fetches, Loop loop) {
        this.fetches = fetches;
        this.loop = loop;
    }

    /** What is held is known to be old, or may be: it is fetched until that worked. */
    void need(KeyState state) {
        state.isDirty = true;
        if (state.flight != null) {
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
            if (state.isDirty) need(state);
        });
    }

    /** Worth a look, unless the service said too lately that it cannot or does not. */
    void look(KeyState state) {
        if (state.flight == null && state.failure() == null && !state.isKnownMissing()) add(state);
    }

    private void add(KeyState state) {
        waiting.add(state);
        pump();
    }

    private void pump() {
        var states = waiting.iterator();
        while (running < MOST_AT_ONCE && states.hasNext()) {
            KeyState state = states.next();
            states.remove();
            // Somebody asked for it meanwhile: that fetch serves.
            if (state.flight != null) continue;
            running += 1;
            fetches.fetchNews(state).thenAccept(fetched -> {
                running -= 1;
                pump();
            });
        }
    }
}
