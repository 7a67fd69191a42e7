package dev.promptdeck;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The keys an application uses, for the service to list. It takes 1,000 of 128 characters in a frame of at most 64 KiB;
 * events come for all the same.
 */
final class Keys {
    private static final int MOST = 1000;
    private static final int MOST_CHARACTERS = 48 * 1024;

    private final Set<String> keys = new LinkedHashSet<>();
    private int characters;

    /** Whether that changed what is to be listed. */
    boolean add(String key) {
        boolean isRoom = keys.size() < MOST && characters + key.length() <= MOST_CHARACTERS;
        if (!isRoom || !keys.add(key)) return false;
        characters += key.length() + 3;
        return true;
    }

    List<String> list() {
        return new ArrayList<>(keys);
    }
}
