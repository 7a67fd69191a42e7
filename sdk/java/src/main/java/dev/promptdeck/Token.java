package dev.promptdeck;

/** The token in force; null for none. It can be exchanged while the client runs. */
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

    /** What others wrote, without the token should it stand there. */
    String hide(String text) {
        String shown = secret;
        return shown == null || text == null ? text : text.replace(shown, "***");
    }
}
