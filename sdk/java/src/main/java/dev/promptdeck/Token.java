package dev.promptdeck;

/** The current token, or null; can be replaced while the client runs. */
final class Token {
    private volatile String secret;

    Token(String secret) {
        this.secret = secret;
    }

    String get() {
        return secret;
    }

    void set(String other) {
        secret = other;
    }

    /** Returns the text with the token replaced by asterisks. */
    String redact(String text) {
        String current = secret;
        return current == null || text == null ? text : text.replace(current, "***");
    }
}
