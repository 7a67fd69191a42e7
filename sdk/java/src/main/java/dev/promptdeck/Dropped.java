package dev.promptdeck;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Reports dropped runs as an event, at most once per second. Used only on the loop. */
final class Dropped {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Loop loop;
    private final Events events;
    private int count;
    private boolean isPausing;

    Dropped(Loop loop, Events events) {
        this.loop = loop;
        this.events = events;
    }

    void add() {
        count += 1;
        if (!isPausing) emit();
    }

    /** Emits an event for dropped runs that no event has reported yet. Completes once it is delivered. */
    CompletableFuture<Void> report() {
        if (count == 0) return CompletableFuture.completedFuture(null);
        emit();
        return events.delivered();
    }

    private void emit() {
        events.emit(new DroppedException(count));
        count = 0;
        isPausing = true;
        loop.after(PAUSE, () -> {
            isPausing = false;
            if (count > 0) emit();
        });
    }
}
