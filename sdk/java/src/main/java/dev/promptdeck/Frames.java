package dev.promptdeck;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Frames that a client sends over the live connection. */
final class Frames {
    static final String PING = "{\"type\":\"ping\"}";

    private Frames() {}

    /**
     * The first frame.
     *
     * @param sinceSeq null on the first connection
     */
    static String hello(ClientOptions options, String token, String instanceId, List<String> keys, Long sinceSeq) {
        Map<String, Object> frame = new LinkedHashMap<>();
        frame.put("type", "hello");
        if (token != null) frame.put("token", token);
        frame.put("client", "java-sdk");
        frame.put("app", options.appName());
        frame.put("namespace", options.namespace());
        frame.put("workspace", options.workspace());
        frame.put("instance_id", instanceId);
        frame.put("sdk_version", Http.VERSION);
        frame.put("keys", keys);
        if (sinceSeq != null) frame.put("since_seq", sinceSeq);
        return EcmaJson.write(frame);
    }

    static String subscribe(List<String> keys) {
        Map<String, Object> frame = new LinkedHashMap<>();
        frame.put("type", "subscribe");
        frame.put("keys", keys);
        return EcmaJson.write(frame);
    }

    static String ack(long seq, String key, String version) {
        Map<String, Object> frame = new LinkedHashMap<>();
        frame.put("type", "ack");
        frame.put("seq", seq);
        frame.put("key", key);
        frame.put("version", version);
        return EcmaJson.write(frame);
    }
}
