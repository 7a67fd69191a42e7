package dev.promptdeck;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/** The wait that the service asks for (RFC 9110, Retry-After). */
final class RetryAfter {
    private static final Duration MAX = Duration.ofDays(1);

    private RetryAfter() {}

    /** Returns at most one day, and zero if the header is missing or invalid. */
    static Duration of(Reply reply) {
        String header = reply.header("retry-after");
        if (header == null) return Duration.ZERO;
        Duration time = header.matches("\\d+") ? seconds(header) : until(header);
        if (time.isNegative()) return Duration.ZERO;
        return time.compareTo(MAX) < 0 ? time : MAX;
    }

    private static Duration seconds(String text) {
        // Conversion to long limits numbers of any length.
        return Duration.ofSeconds((long) Double.parseDouble(text));
    }

    private static Duration until(String date) {
        try {
            return Duration.between(Instant.now(), ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME));
        } catch (DateTimeException e) {
            return Duration.ZERO;
        }
    }
}
