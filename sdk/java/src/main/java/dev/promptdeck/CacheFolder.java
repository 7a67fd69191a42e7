package dev.promptdeck;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/** The user's cache folder on each operating system. */
final class CacheFolder {
    private CacheFolder() {}

    static Path ofUser(Map<String, String> environment) {
        String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        Path home = home(environment);
        if (system.startsWith("windows")) return fromVariable(environment, "LOCALAPPDATA", home.resolve("AppData/Local"));
        if (system.startsWith("mac")) return home.resolve("Library/Caches/promptdeck");
        return fromVariable(environment, "XDG_CACHE_HOME", home.resolve(".cache"));
    }

    /** Returns {@code HOME}, like the command; {@code user.home} ignores the variable. */
    static Path home(Map<String, String> environment) {
        boolean windows = System.getProperty("os.name", "").startsWith("Windows");
        String home = windows ? "" : environment.getOrDefault("HOME", "");
        return Path.of(home.isEmpty() ? System.getProperty("user.home", ".") : home);
    }

    private static Path fromVariable(Map<String, String> environment, String variable, Path otherwise) {
        String configured = environment.getOrDefault(variable, "");
        return (configured.isEmpty() ? otherwise : Path.of(configured)).resolve("promptdeck");
    }
}
