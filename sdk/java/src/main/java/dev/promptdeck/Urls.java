package dev.promptdeck;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Parts of a URL. */
final class Urls {
    private Urls() {}

    /** A text as one segment of a path or one value of a query: a slash is {@code %2F}, a space {@code %20}. */
    static String part(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
