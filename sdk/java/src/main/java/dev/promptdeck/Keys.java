package dev.promptdeck;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The keys an application uses, for the service to list. It takes 1,000 of 200 characters in a frame of at most 64 KiB;
 * events come for all the same.
 */
final class Keys {
    private static final int MOST = 1000;
    private static final int MOST_BYTES = 48 * 1024;

    private final Set<String> keys = new LinkedHashSet<>();
    private int bytes;

    /** Whether that changed what is to be listed. */
    boolean add(String key) {
        int size = key.getBytes(StandardCharsets.UTF_8).length + 3;
        boolean isRoom = keys.size() < MOST && bytes + size <= MOST_BYTES;
        if (!isRoom || !keys.add(key)) return false;
        bytes += size;
        return true;
    }

    List<String> list() {
        return new ArrayList<>(keys);
    }
}
