package dev.promptdeck;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Runs that are not sent yet, oldest first. On the loop. */
final class RunQueue {
    static final int MOST_PER_REQUEST = 100;
    private static final int MOST = 1000;

    private final Deque<RunJson> waiting = new ArrayDeque<>();
    /** Refused together: they are sent one by one. */
    private final Deque<RunJson> apart = new ArrayDeque<>();
    /** What is being sent, or sent again as it was. */
    private List<RunJson> batch = List.of();
    private long accepted;
    private volatile int size;

    /** Whether an older run had to go for it. */
    boolean add(RunJson run) {
        boolean isFull = size >= MOST;
        if (isFull && (waiting.poll() != null || apart.poll() != null)) size -= 1;
        waiting.add(run);
        accepted += 1;
        size += 1;
        return isFull;
    }

    boolean isFullRequest() {
        return waiting.size() >= MOST_PER_REQUEST;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** From any thread. */
    int size() {
        return size;
    }

    /** How many have come so far. */
    long accepted() {
        return accepted;
    }

    /** How many of those that have come are sent or gone. */
    long settled() {
        return accepted - size;
    }

    boolean hasBegun() {
        return !batch.isEmpty() || !apart.isEmpty();
    }

    /** What to send next: the same again until it is settled. */
    List<RunJson> next() {
        if (!batch.isEmpty()) return batch;
        if (!apart.isEmpty()) {
            batch = List.of(apart.poll());
            return batch;
        }
        List<RunJson> taken = new ArrayList<>();
        while (taken.size() < MOST_PER_REQUEST && !waiting.isEmpty()) taken.add(waiting.poll());
        batch = taken;
        return batch;
    }

    /** What was sent was stored, or is given up. */
    void settle() {
        size -= batch.size();
        batch = List.of();
    }

    /** What was sent together is to be sent one by one. */
    void split() {
        apart.addAll(batch);
        batch = List.of();
    }
}
