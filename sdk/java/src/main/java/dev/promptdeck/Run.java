package dev.promptdeck;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One call of a model to report, immutable. Created with {@link #builder()}. */
public final class Run {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    /** Result of a call. */
    public enum Status {
        /** The call returned a response. */
        OK,
        /** The call failed. */
        ERROR
    }

    private final Map<String, Object> members;

    private Run(Map<String, Object> members) {
        this.members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
    }

    /**
     * Starts a run: {@code provider}, {@code model}, {@code latency} and {@code status} are required.
     *
     * @return an empty builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns the fields to send, with the names of the service's {@code POST /api/runs}.
     *
     * @return an unmodifiable map
     */
    public Map<String, Object> members() {
        return members;
    }

    static String time(Instant instant) {
        return TIME.format(instant);
    }

    /** Collects the fields of a run. A null value means unknown. */
    public static final class Builder {
        private final Map<String, Object> members = new LinkedHashMap<>();

        private Builder() {}

        /**
         * Sets {@code provider}.
         *
         * @param value such as {@code openai}
         * @return this builder
         */
        public Builder provider(String value) {
            return set("provider", value);
        }

        /**
         * Sets {@code model}.
         *
         * @param value such as {@code gpt-4o}
         * @return this builder
         */
        public Builder model(String value) {
            return set("model", value);
        }

        /**
         * Sets {@code latency_ms}.
         *
         * @param value time from the call to its end
         * @return this builder
         */
        public Builder latency(Duration value) {
            return set("latency_ms", value == null ? null : value.toNanos() / 1e6);
        }

        /**
         * Sets {@code status}.
         *
         * @param value how the call ended
         * @return this builder
         */
        public Builder status(Status value) {
            return set("status", value == null ? null : value.name().toLowerCase(java.util.Locale.ROOT));
        }

        /**
         * Sets {@code ref_key}.
         *
         * @param value the key of the prompt in use
         * @return this builder
         */
        public Builder refKey(String value) {
            return set("ref_key", value);
        }

        /**
         * Sets {@code version}.
         *
         * @param value the version of that prompt, such as {@code v3}
         * @return this builder
         */
        public Builder version(String value) {
            return set("version", value);
        }

        /**
         * Sets {@code ref_key} and {@code version}.
         *
         * @param value the prompt in use
         * @return this builder
         */
        public Builder prompt(Prompt value) {
            return set("ref_key", value == null ? null : value.key())
                    .set("version", value == null ? null : value.version());
        }

        /**
         * Sets {@code prompt_tokens}.
         *
         * @param value number of tokens sent
         * @return this builder
         */
        public Builder promptTokens(Integer value) {
            return set("prompt_tokens", value);
        }

        /**
         * Sets {@code output_tokens}.
         *
         * @param value number of tokens received
         * @return this builder
         */
        public Builder outputTokens(Integer value) {
            return set("output_tokens", value);
        }

        /**
         * Sets {@code total_tokens}.
         *
         * @param value number of tokens in total
         * @return this builder
         */
        public Builder totalTokens(Integer value) {
            return set("total_tokens", value);
        }

        /**
         * Sets {@code cached_tokens}.
         *
         * @param value number of sent tokens that were in the provider's cache
         * @return this builder
         */
        public Builder cachedTokens(Integer value) {
            return set("cached_tokens", value);
        }

        /**
         * Sets {@code reasoning_tokens}.
         *
         * @param value number of received tokens used for reasoning
         * @return this builder
         */
        public Builder reasoningTokens(Integer value) {
            return set("reasoning_tokens", value);
        }

        /**
         * Sets {@code tokens_estimated}.
         *
         * @param value true if the counts are estimates
         * @return this builder
         */
        public Builder tokensEstimated(Boolean value) {
            return set("tokens_estimated", value);
        }

        /**
         * Sets {@code ttft_ms}.
         *
         * @param value time from the call to the first token
         * @return this builder
         */
        public Builder timeToFirstToken(Duration value) {
            return set("ttft_ms", value == null ? null : value.toNanos() / 1e6);
        }

        /**
         * Sets {@code cost_usd}.
         *
         * @param value US dollars; the service knows the prices of common models
         * @return this builder
         */
        public Builder costUsd(BigDecimal value) {
            return set("cost_usd", value);
        }

        /**
         * Sets {@code error}.
         *
         * @param value error message
         * @return this builder
         */
        public Builder error(String value) {
            return set("error", value);
        }

        /**
         * Sets {@code error_type}.
         *
         * @param value a code such as {@code timeout}
         * @return this builder
         */
        public Builder errorType(String value) {
            return set("error_type", value);
        }

        /**
         * Sets {@code finish_reason}.
         *
         * @param value why the model stopped
         * @return this builder
         */
        public Builder finishReason(String value) {
            return set("finish_reason", value);
        }

        /**
         * Sets {@code variables}.
         *
         * @param value names of the variables in use, never their values
         * @return this builder
         */
        public Builder variables(Collection<String> value) {
            return set("variables", value == null ? null : List.copyOf(value));
        }

        /**
         * Sets {@code params}.
         *
         * @param value parameters of the model call, such as a temperature
         * @return this builder
         */
        public Builder params(Map<String, ?> value) {
            return set("params", value == null ? null : Collections.unmodifiableMap(new LinkedHashMap<>(value)));
        }

        /**
         * Sets {@code input}.
         *
         * @param value the input of the model: any JSON value
         * @return this builder
         */
        public Builder input(Object value) {
            return set("input", value);
        }

        /**
         * Sets {@code output}.
         *
         * @param value the output of the model
         * @return this builder
         */
        public Builder output(String value) {
            return set("output", value);
        }

        /**
         * Sets {@code source}.
         *
         * @param value origin of the run; by default {@code sdk}
         * @return this builder
         */
        public Builder source(String value) {
            return set("source", value);
        }

        /**
         * Sets {@code parent_id}.
         *
         * @param value id of the run that this call is part of
         * @return this builder
         */
        public Builder parentId(String value) {
            return set("parent_id", value);
        }

        /**
         * Sets {@code env}.
         *
         * @param value {@code dev}, {@code test} or {@code prod}; by default the namespace of the client
         * @return this builder
         */
        public Builder env(String value) {
            return set("env", value);
        }

        /**
         * Sets {@code app}.
         *
         * @param value by default the app name of the client
         * @return this builder
         */
        public Builder app(String value) {
            return set("app", value);
        }

        /**
         * Sets {@code session_id}.
         *
         * @param value the conversation that the call is part of
         * @return this builder
         */
        public Builder sessionId(String value) {
            return set("session_id", value);
        }

        /**
         * Sets {@code end_user}.
         *
         * @param value the user of the application
         * @return this builder
         */
        public Builder endUser(String value) {
            return set("end_user", value);
        }

        /**
         * Sets {@code hash_end_user}.
         *
         * @param value true to store a keyed hash instead of {@code end_user}
         * @return this builder
         */
        public Builder hashEndUser(Boolean value) {
            return set("hash_end_user", value);
        }

        /**
         * Sets {@code tags}.
         *
         * @param value at most 20 tags
         * @return this builder
         */
        public Builder tags(Collection<String> value) {
            return set("tags", value == null ? null : List.copyOf(value));
        }

        /**
         * Sets {@code metadata}.
         *
         * @param value an object of the application, at most 4 KiB as JSON
         * @return this builder
         */
        public Builder metadata(Map<String, ?> value) {
            return set("metadata", value == null ? null : Collections.unmodifiableMap(new LinkedHashMap<>(value)));
        }

        /**
         * Sets {@code response_id}.
         *
         * @param value id of the reply, from the provider
         * @return this builder
         */
        public Builder responseId(String value) {
            return set("response_id", value);
        }

        /**
         * Sets {@code provider_request_id}.
         *
         * @param value id of the request, from a header of the provider's reply
         * @return this builder
         */
        public Builder providerRequestId(String value) {
            return set("provider_request_id", value);
        }

        /**
         * Sets {@code response_model}.
         *
         * @param value the model that replied, from the provider
         * @return this builder
         */
        public Builder responseModel(String value) {
            return set("response_model", value);
        }

        /**
         * Sets {@code tool_names}.
         *
         * @param value names of the tools that the model called
         * @return this builder
         */
        public Builder toolNames(Collection<String> value) {
            return set("tool_names", value == null ? null : List.copyOf(value));
        }

        /**
         * Sets {@code trace_id}.
         *
         * @param value the trace (W3C Trace Context): 32 hexadecimal digits
         * @return this builder
         */
        public Builder traceId(String value) {
            return set("trace_id", value);
        }

        /**
         * Sets {@code span_id}.
         *
         * @param value the span of the call: 16 hexadecimal digits; the service counts a repeated span once
         * @return this builder
         */
        public Builder spanId(String value) {
            return set("span_id", value);
        }

        /**
         * Sets {@code parent_span_id}.
         *
         * @param value the span that made the call
         * @return this builder
         */
        public Builder parentSpanId(String value) {
            return set("parent_span_id", value);
        }

        /**
         * Sets {@code workspace_id}.
         *
         * @param value by default the client's workspace
         * @return this builder
         */
        public Builder workspaceId(String value) {
            return set("workspace_id", value);
        }

        /**
         * Sets {@code client_run_id}.
         *
         * @param value by default generated by the client; the service counts a repeated id once
         * @return this builder
         */
        public Builder clientRunId(String value) {
            return set("client_run_id", value);
        }

        /**
         * Sets {@code created_at}.
         *
         * @param value start of the call; by default the time of the report minus the latency
         * @return this builder
         */
        public Builder createdAt(Instant value) {
            return set("created_at", value == null ? null : time(value));
        }

        /**
         * Sets a field by its name on the wire, including fields without a method here.
         *
         * @param name such as {@code finish_reason}
         * @param value any value that can be converted to JSON
         * @return this builder
         */
        public Builder set(String name, Object value) {
            members.put(name, value);
            return this;
        }

        /**
         * Creates the run. Required fields are checked when it is reported.
         *
         * @return a run with the fields set so far
         */
        public Run build() {
            return new Run(members);
        }
    }
}
