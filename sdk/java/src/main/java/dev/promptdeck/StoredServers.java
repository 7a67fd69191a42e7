package dev.promptdeck;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads the servers that {@code promptdeck pair} stored. */
final class StoredServers {
    record Server(String name, String address, String token, String ca) {}

    private StoredServers() {}

    /**
     * Returns the server of that name.
     *
     * @param name null for the chosen or only one
     * @return null if there is none and no name was given
     */
    static Server find(String name, Map<String, String> environment) {
        Path file = folder(environment).resolve("servers.json");
        JsonNode content = read(file);
        List<Server> servers = content == null ? List.of() : servers(content, file);
        String wanted = name != null || content == null ? name : Json.text(content, "current");
        if (wanted == null) return servers.size() == 1 ? servers.get(0) : null;
        for (Server server : servers) {
            if (server.name().equalsIgnoreCase(wanted)) return server;
        }
        if (name == null) return null;
        throw new InvalidException("PROMPTDECK_SERVER is neither a URL nor the name of one of the " + servers.size()
                + " stored servers. Run \"promptdeck servers list\" to see the names.");
    }

    private static JsonNode read(Path file) {
        try {
            JsonNode content = Json.object(Files.readAllBytes(file));
            if (content == null) throw damaged(file);
            return content;
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            throw new InvalidException(
                    "The stored servers cannot be read: " + e.getMessage() + ". Set server, or correct the file.", e);
        }
    }

    private static List<Server> servers(JsonNode content, Path file) {
        if (!content.path("servers").isArray()) throw damaged(file);
        List<Server> servers = new ArrayList<>();
        for (JsonNode item : content.path("servers")) {
            Server server = new Server(
                    Json.text(item, "name"), Json.text(item, "address"), Json.text(item, "token"), Json.text(item, "ca"));
            if (server.name() == null || server.address() == null || server.token() == null || server.ca() == null) {
                throw damaged(file);
            }
            servers.add(server);
        }
        return servers;
    }

    private static InvalidException damaged(Path file) {
        return new InvalidException(
                file + " is damaged. Set server, or move the file away and run \"promptdeck pair\" again.");
    }

    /** Returns the folder of {@code servers.json}, the same as that of the command {@code promptdeck}. */
    private static Path folder(Map<String, String> environment) {
        String custom = environment.getOrDefault("PROMPTDECK_CONFIG_DIR", "");
        if (!custom.isEmpty()) return Path.of(custom);
        String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        Path home = CacheFolder.home(environment);
        if (system.startsWith("windows")) {
            return either(environment, "APPDATA", home.resolve("AppData/Roaming")).resolve("promptdeck/Config");
        }
        if (system.startsWith("mac")) return home.resolve("Library/Preferences/promptdeck");
        return either(environment, "XDG_CONFIG_HOME", home.resolve(".config")).resolve("promptdeck");
    }

    private static Path either(Map<String, String> environment, String variable, Path otherwise) {
        String configured = environment.getOrDefault(variable, "");
        return configured.isEmpty() ? otherwise : Path.of(configured);
    }
}
