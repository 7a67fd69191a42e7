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
        /** The call returned a reply. */
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
         * @param given such as {@code openai}
         * @return this builder
         */
        public Builder provider(String given) {
            return set("provider", given);
        }

        /**
         * Sets {@code model}.
         *
         * @param given such as {@code gpt-4o}
         * @return this builder
         */
        public Builder model(String given) {
            return set("model", given);
        }

        /**
         * Sets {@code latency_ms}.
         *
         * @param given time from the call to its end
         * @return this builder
         */
        public Builder latency(Duration given) {
            return set("latency_ms", given == null ? null : given.toNanos() / 1e6);
        }

        /**
         * Sets {@code status}.
         *
         * @param given how the call ended
         * @return this builder
         */
        public Builder status(Status given) {
            return set("status", given == null ? null : given.name().toLowerCase(java.util.Locale.ROOT));
        }

        /**
         * Sets {@code ref_key}.
         *
         * @param given the key of the prompt in use
         * @return this builder
         */
        public Builder refKey(String given) {
            return set("ref_key", given);
        }

        /**
         * Sets {@code version}.
         *
         * @param given the version of that prompt, such as {@code v3}
         * @return this builder
         */
        public Builder version(String given) {
            return set("version", given);
        }

        /**
         * Sets {@code ref_key} and {@code version}.
         *
         * @param given the prompt in use
         * @return this builder
         */
        public Builder prompt(Prompt given) {
            return set("ref_key", given == null ? null : given.key())
                    .set("version", given == null ? null : given.version());
        }

        /**
         * Sets {@code prompt_tokens}.
         *
         * @param given number of tokens sent
         * @return this builder
         */
        public Builder promptTokens(Integer given) {
            return set("prompt_tokens", given);
        }

        /**
         * Sets {@code output_tokens}.
         *
         * @param given number of tokens received
         * @return this builder
         */
        public Builder outputTokens(Integer given) {
            return set("output_tokens", given);
        }

        /**
         * Sets {@code total_tokens}.
         *
         * @param given number of tokens in total
         * @return this builder
         */
        public Builder totalTokens(Integer given) {
            return set("total_tokens", given);
        }

        /**
         * Sets {@code cached_tokens}.
         *
         * @param given number of sent tokens that were in the provider's cache
         * @return this builder
         */
        public Builder cachedTokens(Integer given) {
            return set("cached_tokens", given);
        }

        /**
         * Sets {@code reasoning_tokens}.
         *
         * @param given number of received tokens used for reasoning
         * @return this builder
         */
        public Builder reasoningTokens(Integer given) {
            return set("reasoning_tokens", given);
        }

        /**
         * Sets {@code tokens_estimated}.
         *
         * @param given true if the counts are estimates
         * @return this builder
         */
        public Builder tokensEstimated(Boolean given) {
            return set("tokens_estimated", given);
        }

        /**
         * Sets {@code ttft_ms}.
         *
         * @param given time from the call to the first token
         * @return this builder
         */
        public Builder timeToFirstToken(Duration given) {
            return set("ttft_ms", given == null ? null : given.toNanos() / 1e6);
        }

        /**
         * Sets {@code cost_usd}.
         *
         * @param given US dollars; the service knows the prices of common models
         * @return this builder
         */
        public Builder costUsd(BigDecimal given) {
            return set("cost_usd", given);
        }

        /**
         * Sets {@code error}.
         *
         * @param given error message
         * @return this builder
         */
        public Builder error(String given) {
            return set("error", given);
        }

        /**
         * Sets {@code error_type}.
         *
         * @param given a code such as {@code timeout}
         * @return this builder
         */
        public Builder errorType(String given) {
            return set("error_type", given);
        }

        /**
         * Sets {@code finish_reason}.
         *
         * @param given why the model stopped
         * @return this builder
         */
        public Builder finishReason(String given) {
            return set("finish_reason", given);
        }

        /**
         * Sets {@code variables}.
         *
         * @param given names of the variables in use, never their values
         * @return this builder
         */
        public Builder variables(Collection<String> given) {
            return set("variables", given == null ? null : List.copyOf(given));
        }

        /**
         * Sets {@code params}.
         *
         * @param given parameters of the model call, such as a temperature
         * @return this builder
         */
        public Builder params(Map<String, ?> given) {
            return set("params", given == null ? null : Collections.unmodifiableMap(new LinkedHashMap<>(given)));
        }

        /**
         * Sets {@code input}.
         *
         * @param given the input of the model: any JSON value
         * @return this builder
         */
        public Builder input(Object given) {
            return set("input", given);
        }

        /**
         * Sets {@code output}.
         *
         * @param given the output of the model
         * @return this builder
         */
        public Builder output(String given) {
            return set("output", given);
        }

        /**
         * Sets {@code source}.
         *
         * @param given origin of the run; by default {@code sdk}
         * @return this builder
         */
        public Builder source(String given) {
            return set("source", given);
        }

        /**
         * Sets {@code parent_id}.
         *
         * @param given id of the run that this call is part of
         * @return this builder
         */
        public Builder parentId(String given) {
            return set("parent_id", given);
        }

        /**
         * Sets {@code workspace_id}.
         *
         * @param given by default the client's workspace
         * @return this builder
         */
        public Builder workspaceId(String given) {
            return set("workspace_id", given);
        }

        /**
         * Sets {@code client_run_id}.
         *
         * @param given by default generated by the client; the service counts a repeated id once
         * @return this builder
         */
        public Builder clientRunId(String given) {
            return set("client_run_id", given);
        }

        /**
         * Sets {@code created_at}.
         *
         * @param given start of the call; by default the time of the report
         * @return this builder
         */
        public Builder createdAt(Instant given) {
            return set("created_at", given == null ? null : time(given));
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
