package dev.promptdeck;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The keys that an application uses, for the service's list. The service accepts 1,000 keys of 200 characters in a
 * frame of at most 64 KiB. Keys beyond these limits still get events.
 */
final class Keys {
    private static final int MAX_KEYS = 1000;
    private static final int MAX_BYTES = 48 * 1024;

    private final Set<String> keys = new LinkedHashSet<>();
    private int bytes;

    /** Adds a key; returns true if the list changed. */
    boolean add(String key) {
        int size = key.getBytes(StandardCharsets.UTF_8).length + 3;
        boolean fits = keys.size() < MAX_KEYS && bytes + size <= MAX_BYTES;
        if (!fits || !keys.add(key)) return false;
        bytes += size;
        return true;
    }

    List<String> list() {
        return new ArrayList<>(keys);
    }
}
