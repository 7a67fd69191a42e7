package dev.promptdeck;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpHeaders;

/** A reply of the service. */
record Reply(int status, HttpHeaders headers, byte[] body) {
    boolean isOk() {
        return status >= 200 && status < 300;
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
