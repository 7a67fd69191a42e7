package dev.promptdeck;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Encoding of URL segments. */
final class Urls {
    private Urls() {}

    /** Encodes a text as one path segment or query value: a slash becomes {@code %2F}, a space {@code %20}. */
    static String part(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
