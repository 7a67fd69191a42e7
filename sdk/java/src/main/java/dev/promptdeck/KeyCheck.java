package dev.promptdeck;

import java.text.Normalizer;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;

/** Checks keys of prompts. The methods throw {@link InvalidException} for a key that the service would reject. */
final class KeyCheck {
    /** In UTF-16 code units. */
    private static final int MAX_KEY_LENGTH = 200;
    /** Segments of dots would change the path of the request; a URL cannot contain a lone surrogate. */
    private static final Pattern NO_KEY = Pattern.compile("(^|/)\\.\\.?(/|\\z)|\\p{Cs}");

    private KeyCheck() {}

    /** Returns the key in Unicode normalization form C, as the service stores and announces it. */
    static String checked(String value) {
        String key = value == null ? "" : Normalizer.normalize(value, Normalizer.Form.NFC);
        if (key.isEmpty() || key.length() > MAX_KEY_LENGTH || NO_KEY.matcher(key).find()) {
            throw new InvalidException("A key must have 1 to " + MAX_KEY_LENGTH
                    + " characters, without the segments \".\" and \"..\".");
        }
        return key;
    }

    static List<String> checked(Collection<String> keys) {
        if (keys == null) throw new InvalidException("keys must not be null. Use an empty list for none.");
        return keys.stream().map(KeyCheck::checked).toList();
    }
}
