package dev.promptdeck;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * JSON of a run to send.
 *
 * @param clientRunId id by which the service detects repeated reports
 * @param createdAt sent with the run; null if the application gave a time, or if the service rejected this one
 */
record RunJson(String clientRunId, String json, String createdAt) {
    /** Maximum latency that the service accepts, in milliseconds. */
    private static final double MAX_LATENCY_MS = 86_400_000;
    private static final List<String> REQUIRED = List.of("provider", "model", "latency_ms", "status");
    /** The environments of the service. A client that watches another one reports runs without. */
    private static final Set<String> ENVIRONMENTS = Set.of("dev", "test", "prod");

    /**
     * Validates and serializes a run, so that later changes by the application have no effect.
     *
     * @throws InvalidException if a required field is missing, or a value is not JSON
     */
    static RunJson of(Run run, ClientOptions options) {
        if (run == null) throw new InvalidException("The run must not be null.");
        Map<String, Object> members = new LinkedHashMap<>(run.members());
        for (String name : REQUIRED) {
            if (members.get(name) == null || "".equals(members.get(name))) {
                throw new InvalidException("A run requires " + String.join(", ", REQUIRED) + ": " + name + " is missing.");
            }
        }
        fill(members, "workspace_id", options.workspace());
        fill(members, "app", options.appName());
        if (ENVIRONMENTS.contains(options.namespace())) fill(members, "env", options.namespace());
        if ("".equals(members.get("client_run_id"))) members.remove("client_run_id");
        fill(members, "client_run_id", UUID.randomUUID().toString());
        String id = String.valueOf(members.get("client_run_id"));
        if (id.length() > 128) throw new InvalidException("client_run_id must have at most 128 characters.");
        String createdAt = members.get("created_at") == null ? Run.time(startOf(members.get("latency_ms"))) : null;
        return new RunJson(id, EcmaJson.write(members), createdAt);
    }

    /** Returns the start of a call that has just ended; now, if the service will reject its latency. */
    private static Instant startOf(Object latency) {
        double ms = latency instanceof Number number ? number.doubleValue() : 0;
        return Instant.now().minusNanos(ms >= 0 && ms <= MAX_LATENCY_MS ? (long) (ms * 1e6) : 0);
    }

    /** Returns the JSON to send. */
    String body() {
        if (createdAt == null) return json;
        return json.substring(0, json.length() - 1) + ",\"created_at\":\"" + createdAt + "\"}";
    }

    RunJson withoutTime() {
        return new RunJson(clientRunId, json, null);
    }

    private static void fill(Map<String, Object> members, String name, Object value) {
        if (members.get(name) == null) members.put(name, value);
    }
}
