package dev.promptdeck;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * Copies of prompts on disk, one file each, for use while the service is down. Each file contains a hash of its
 * content, so that a truncated or modified file counts as missing.
 */
final class DiskCache {
    private final Path folder;

    DiskCache(ClientOptions options) {
        String scope = options.server() + "\n" + options.workspace() + "\n" + options.namespace();
        this.folder = options.cacheDir().resolve("java-" + hash(scope).substring(0, 32));
    }

    void write(Prompt prompt) throws IOException {
        Map<String, Object> file = new LinkedHashMap<>();
        String written = EcmaJson.write(PromptJson.write(prompt));
        file.put("sha256", hash(written));
        file.put("prompt", written);
        Files.createDirectories(folder, mode("rwx------"));
        Path temporary = folder.resolve("." + UUID.randomUUID() + ".tmp");
        try {
            Files.createFile(temporary, mode("rw-------"));
            Files.writeString(temporary, EcmaJson.write(file));
            Files.move(
                    temporary,
                    fileOf(prompt.key()),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /** Returns the copy of a key; null if there is none or its hash does not match. */
    Prompt read(String key) {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(fileOf(key));
        } catch (IOException e) {
            return null;
        }
        JsonNode file = Json.object(bytes);
        String written = file == null ? null : Json.text(file, "prompt");
        if (written == null || !hash(written).equals(Json.text(file, "sha256"))) return null;
        Prompt prompt = PromptJson.read(Json.object(written), null, PromptSource.DISK);
        return prompt == null || !prompt.key().equals(key) ? null : prompt;
    }

    void delete(String key) throws IOException {
        Files.deleteIfExists(fileOf(key));
    }

    boolean isEmpty() {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.json")) {
            return !files.iterator().hasNext();
        } catch (IOException e) {
            return true;
        }
    }

    /** Uses a hash as file name, because keys contain slashes and may differ only in case. */
    private Path fileOf(String key) {
        return folder.resolve(hash(key) + ".json");
    }

    private static FileAttribute<?>[] mode(String permissions) {
        if (!FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) return new FileAttribute<?>[0];
        return new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))};
    }

    private static String hash(String text) {
        try {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has SHA-256", e);
        }
    }
}
