package dev.promptdeck;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Requests to the service's prompt routes. */
final class PromptApi {
    /**
     * A page of all prompts.
     *
     * @param nextCursor null on the last page
     */
    record Page(List<Prompt> prompts, String nextCursor) {}

    private final Http http;
    private final ErrorReplies errorReplies;
    private final String scope;

    PromptApi(Http http, ErrorReplies errorReplies, ClientOptions options) {
        this.http = http;
        this.errorReplies = errorReplies;
        this.scope = "?env=" + Urls.part(options.namespace()) + "&workspace=" + Urls.part(options.workspace());
    }

    /**
     * Fetches one prompt.
     *
     * @param cached the prompt in memory, returned if it is still served; or null
     * @return a future that never fails: errors are part of the result
     */
    CompletableFuture<Fetched> fetch(String key, Prompt cached) {
        String etag = cached == null ? null : cached.etag();
        List<String> headers = etag == null ? List.of() : List.of("If-None-Match", etag);
        return http.send("GET", "/api/sdk/prompts/" + Urls.part(key) + scope, null, headers)
                .thenApply(reply -> read(key, cached, reply))
                .exceptionally(error -> Fetched.failed(Failures.of(error)));
    }

    /** Fetches a page of all prompts; fails with a {@link PromptdeckException}. */
    CompletableFuture<Page> page(String cursor) {
        String cursorPart = cursor == null ? "" : "&cursor=" + Urls.part(cursor);
        return http.send("GET", "/api/sdk/prompts" + scope + cursorPart, null, List.of()).thenApply(this::readPage);
    }

    private Fetched read(String key, Prompt cached, Reply reply) {
        if (reply.status() == 304 && cached != null) return Fetched.found(cached);
        if (reply.isNotFound()) {
            return Fetched.failed(new NotFoundException("No version is served as " + key
                    + ". Check that it is published in this environment and workspace."
                    + errorReplies.explanation(reply)));
        }
        if (!reply.isOk()) return Fetched.failed(errorReplies.of(reply), RetryAfter.of(reply));
        Prompt prompt = PromptJson.read(reply.json(), reply.header("etag"), PromptSource.NETWORK);
        return prompt == null || !prompt.key().equals(key) ? Fetched.failed(invalidReply()) : Fetched.found(prompt);
    }

    private Page readPage(Reply reply) {
        if (!reply.isOk()) throw errorReplies.of(reply);
        JsonNode json = reply.json();
        if (json == null || !json.path("data").isArray()) throw invalidReply();
        List<Prompt> prompts = new ArrayList<>();
        for (JsonNode item : json.get("data")) {
            Prompt prompt = PromptJson.read(item, null, PromptSource.NETWORK);
            if (prompt == null) throw invalidReply();
            prompts.add(prompt);
        }
        return new Page(prompts, Json.text(json, "next_cursor"));
    }

    private static UnavailableException invalidReply() {
        return new UnavailableException(
                "The reply is not a prompt. Check that server is the address of a Promptdeck service.");
    }
}
