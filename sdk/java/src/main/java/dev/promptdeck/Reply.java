package dev.promptdeck;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpHeaders;

/** What the service answered. */
record Reply(int status, HttpHeaders headers, byte[] body) {
    boolean isOk() {
        return status >= 200 && status < 300;
    }

    String header(String name) {
        return headers.firstValue(name).orElse(null);
    }

    /** The body's JSON object; null when it holds none. */
    JsonNode json() {
        return Json.object(body);
    }
}
