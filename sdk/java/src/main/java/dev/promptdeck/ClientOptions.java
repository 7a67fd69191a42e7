package dev.promptdeck;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;

/** Validated options of a client. */
record ClientOptions(
        URI server,
        String token,
        String ca,
        String appName,
        String namespace,
        String workspace,
        Path cacheDir,
        Map<String, Prompt> fallbacks,
        Timings timings) {

    /** A valid host name, with an optional port, that {@link URI} may reject. */
    private static final Pattern OTHER_HOST = Pattern.compile("[\\p{L}\\p{N}._-]+(:\\d{1,5})?");

    /** Returns the base URL, without a trailing slash. */
    static URI serverOf(String value) {
        URI uri;
        try {
            uri = URI.create(value.strip());
        } catch (IllegalArgumentException e) {
            // The cause would repeat the address, including a password in it.
            throw new InvalidException("server is not a URL. Use one such as http://127.0.0.1:4780.");
        }
        boolean isHttp = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
        if (isHttp && uri.getHost() == null && OTHER_HOST.matcher(String.valueOf(uri.getRawAuthority())).matches()) {
            throw new InvalidException("The HTTP client of Java accepts only host names of ASCII letters, digits, hyphens"
                    + " and dots. Set server to another name of the service, or to its IP address.");
        }
        if (!isHttp || uri.getHost() == null || uri.getPort() > 65_535) {
            throw new InvalidException("server must be an http or https URL such as http://127.0.0.1:4780.");
        }
        if (uri.getRawUserInfo() != null || uri.getRawQuery() != null || uri.getRawFragment() != null) {
            throw new InvalidException(
                    "server must not contain a user, query or fragment. Set the token with token().");
        }
        return URI.create(uri.toString().replaceAll("/+$", ""));
    }

    /** Returns the value if it has 1 to {@code most} characters. */
    static String name(String option, String value, int maxLength) {
        if (value == null || value.isBlank() || value.length() > maxLength) {
            throw new InvalidException(option + " must have 1 to " + maxLength + " characters.");
        }
        return value;
    }

    /** Validates a token for use in a header. The error never contains it. */
    static String token(String value) {
        if (value == null) return null;
        // Files end with a line break.
        String token = value.strip();
        if (token.isEmpty() || !token.chars().allMatch(unit -> unit > 0x20 && unit < 0x7F)) {
            throw new InvalidException("token must be ASCII without spaces.");
        }
        return token;
    }
}
