package dev.promptdeck;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpHeaders;

/** A reply of the service. */
record Reply(int status, HttpHeaders headers, byte[] body) {
    boolean isOk() {
        return status >= 200 && status < 300;
    }

    /** Returns true for a 404 of the service itself, and not of another program. */
    boolean isNotFound() {
        JsonNode problem = status == 404 ? json() : null;
        return problem != null && "not_found".equals(Json.text(problem, "code"));
    }

    /** Returns true if the service stored reported runs; another program may reply 200 to them. */
    boolean isStored() {
        JsonNode json = isOk() ? json() : null;
        return json != null && json.has("data");
    }

    String header(String name) {
        return headers.firstValue(name).orElse(null);
    }

    /** Returns true if the service rejected the time of a run: its clock and that of this machine differ. */
    boolean isAboutTime() {
        JsonNode problem = json();
        if (problem == null) return false;
        for (JsonNode error : problem.path("errors")) {
            if (error.path("path").asText().endsWith("created_at")) return true;
        }
        return false;
    }

    /** Returns the JSON object in the body; null if there is none. */
    JsonNode json() {
        return Json.object(body);
    }
}
