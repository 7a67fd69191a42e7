package dev.promptdeck.conformance;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** Counts threads and sockets that closed clients left behind. */
final class Leftovers {
    private static final Path OPEN_FILES = Path.of("/proc/self/fd");
    /** Before Java 21 an HTTP client ends its thread after garbage collection, which it checks every 3 s. */
    private static final long MAX_WAIT_NANOS = 10_000_000_000L;
    private static final long LOOK_AGAIN_NANOS = 50_000_000L;

    /** Sockets open at the start of the adapter, such as pipes. */
    private final int ownSockets;

    private Leftovers(int ownSockets) {
        this.ownSockets = ownSockets;
    }

    static Leftovers since() throws IOException {
        // The first closed channel makes Java open a permanent pair of sockets for internal use.
        SocketChannel.open().close();
        return new Leftovers(sockets());
    }

    /** Waits until nothing is left, or until the time limit; returns the counts. */
    Map<String, Object> count() throws IOException {
        long start = System.nanoTime();
        System.gc();
        while ((threads() > 0 || sockets() > ownSockets) && System.nanoTime() - start < MAX_WAIT_NANOS) {
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
        return Map.of("timers_or_threads", threads(), "sockets", Math.max(0, sockets() - ownSockets));
    }

    private static int threads() {
        return (int) Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("promptdeck-")
                        || thread.getName().startsWith("HttpClient-")
                        || thread.getName().startsWith("CompletableFuture"))
                .count();
    }

    private static int sockets() throws IOException {
        if (!Files.isDirectory(OPEN_FILES)) return 0;
        int count = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(OPEN_FILES)) {
            for (Path file : files) count += isSocket(file) ? 1 : 0;
        }
        return count;
    }

    private static boolean isSocket(Path file) throws IOException {
        try {
            return Files.readSymbolicLink(file).toString().startsWith("socket:");
        } catch (NoSuchFileException e) {
            return false;
        }
    }
}
