package dev.promptdeck;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Queue of unsent runs, oldest first. Used on the loop only, except for {@link #size}. */
final class RunQueue {
    static final int MAX_PER_REQUEST = 100;
    private static final int MAX_QUEUED = 1000;

    private final Deque<RunJson> waiting = new ArrayDeque<>();
    /** Runs of a rejected batch, to be sent one by one. */
    private final Deque<RunJson> single = new ArrayDeque<>();
    /** The batch in transit; a retry sends the same batch. */
    private List<RunJson> batch = List.of();
    private long accepted;
    private volatile int size;

    /** Adds a run; returns true if an older one was dropped for it. */
    boolean add(RunJson run) {
        boolean isFull = size >= MAX_QUEUED;
        if (isFull && (waiting.poll() != null || single.poll() != null)) size -= 1;
        waiting.add(run);
        accepted += 1;
        size += 1;
        return isFull;
    }

    boolean isFullRequest() {
        return waiting.size() >= MAX_PER_REQUEST;
    }

    boolean isEmpty() {
        return size == 0;
    }

    /** Returns the number of unsent runs. From any thread. */
    int size() {
        return size;
    }

    /** Returns the number of runs added so far. */
    long accepted() {
        return accepted;
    }

    /** Returns the number of added runs that are sent or dropped. */
    long finished() {
        return accepted - size;
    }

    boolean hasBegun() {
        return !batch.isEmpty() || !single.isEmpty();
    }

    /** Returns the batch to send next; the same one until it is finished. */
    List<RunJson> next() {
        if (!batch.isEmpty()) return batch;
        if (!single.isEmpty()) {
            batch = List.of(single.poll());
            return batch;
        }
        List<RunJson> taken = new ArrayList<>();
        while (taken.size() < MAX_PER_REQUEST && !waiting.isEmpty()) taken.add(waiting.poll());
        batch = taken;
        return batch;
    }

    /** Removes the batch after it was stored or given up. */
    void finishBatch() {
        size -= batch.size();
        batch = List.of();
    }

    /** Removes the times that this client set from the batch. Returns false if there are none. */
    boolean removeTimes() {
        boolean hasTimes = batch.stream().anyMatch(run -> run.createdAt() != null);
        batch = batch.stream().map(RunJson::withoutTime).toList();
        return hasTimes;
    }

    /** Splits the batch, to be sent one by one. */
    void split() {
        single.addAll(batch);
        batch = List.of();
    }
}
