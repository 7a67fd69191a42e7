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

/** One call of a model, as it is reported. Made with {@link #builder()}; a run that was built never changes. */
public final class Run {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

    /** How a call ended. */
    public enum Status {
        /** With an answer. */
        OK,
        /** With an error. */
        ERROR
    }

    private final Map<String, Object> members;

    private Run(Map<String, Object> members) {
        this.members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
    }

    /**
     * A run to fill in: {@code provider}, {@code model}, {@code latency} and {@code status} are required.
     *
     * @return an empty builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * What is sent, by the names of the service's {@code POST /api/runs}.
     *
     * @return unmodifiable
     */
    public Map<String, Object> members() {
        return members;
    }

    static String time(Instant instant) {
        return TIME.format(instant);
    }

    /** Collects what is known of a run. Each method answers the builder itself; null says that something is not known. */
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
         * @param given from the call to its end
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
         * @param given the key of the prompt it was made with
         * @return this builder
         */
        public Builder refKey(String given) {
            return set("ref_key", given);
        }

        /**
         * Sets {@code version}.
         *
         * @param given that prompt's version, such as {@code v3}
         * @return this builder
         */
        public Builder version(String given) {
            return set("version", given);
        }

        /**
         * Sets {@code ref_key} and {@code version}.
         *
         * @param given the prompt it was made with: its key and version
         * @return this builder
         */
        public Builder prompt(Prompt given) {
            return set("ref_key", given == null ? null : given.key())
                    .set("version", given == null ? null : given.version());
        }

        /**
         * Sets {@code prompt_tokens}.
         *
         * @param given tokens sent
         * @return this builder
         */
        public Builder promptTokens(Integer given) {
            return set("prompt_tokens", given);
        }

        /**
         * Sets {@code output_tokens}.
         *
         * @param given tokens received
         * @return this builder
         */
        public Builder outputTokens(Integer given) {
            return set("output_tokens", given);
        }

        /**
         * Sets {@code total_tokens}.
         *
         * @param given tokens in all
         * @return this builder
         */
        public Builder totalTokens(Integer given) {
            return set("total_tokens", given);
        }

        /**
         * Sets {@code cached_tokens}.
         *
         * @param given of those sent, the ones the provider had in its cache
         * @return this builder
         */
        public Builder cachedTokens(Integer given) {
            return set("cached_tokens", given);
        }

        /**
         * Sets {@code reasoning_tokens}.
         *
         * @param given of those received, the ones spent on thinking
         * @return this builder
         */
        public Builder reasoningTokens(Integer given) {
            return set("reasoning_tokens", given);
        }

        /**
         * Sets {@code tokens_estimated}.
         *
         * @param given whether the counts are guesses
         * @return this builder
         */
        public Builder tokensEstimated(Boolean given) {
            return set("tokens_estimated", given);
        }

        /**
         * Sets {@code ttft_ms}.
         *
         * @param given from the call to the first token
         * @return this builder
         */
        public Builder timeToFirstToken(Duration given) {
            return set("ttft_ms", given == null ? null : given.toNanos() / 1e6);
        }

        /**
         * Sets {@code cost_usd}.
         *
         * @param given US dollars; the service knows common prices itself
         * @return this builder
         */
        public Builder costUsd(BigDecimal given) {
            return set("cost_usd", given);
        }

        /**
         * Sets {@code error}.
         *
         * @param given what went wrong
         * @return this builder
         */
        public Builder error(String given) {
            return set("error", given);
        }

        /**
         * Sets {@code error_type}.
         *
         * @param given why, in one word such as {@code timeout}
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
         * @param given names of the variables used, never their values
         * @return this builder
         */
        public Builder variables(Collection<String> given) {
            return set("variables", given == null ? null : List.copyOf(given));
        }

        /**
         * Sets {@code params}.
         *
         * @param given what the model was called with, such as a temperature
         * @return this builder
         */
        public Builder params(Map<String, ?> given) {
            return set("params", given == null ? null : Collections.unmodifiableMap(new LinkedHashMap<>(given)));
        }

        /**
         * Sets {@code input}.
         *
         * @param given what was sent to the model: anything that is JSON
         * @return this builder
         */
        public Builder input(Object given) {
            return set("input", given);
        }

        /**
         * Sets {@code output}.
         *
         * @param given what the model answered
         * @return this builder
         */
        public Builder output(String given) {
            return set("output", given);
        }

        /**
         * Sets {@code source}.
         *
         * @param given {@code sdk} unless given
         * @return this builder
         */
        public Builder source(String given) {
            return set("source", given);
        }

        /**
         * Sets {@code parent_id}.
         *
         * @param given what this call was part of
         * @return this builder
         */
        public Builder parentId(String given) {
            return set("parent_id", given);
        }

        /**
         * Sets {@code workspace_id}.
         *
         * @param given the client's workspace unless given
         * @return this builder
         */
        public Builder workspaceId(String given) {
            return set("workspace_id", given);
        }

        /**
         * Sets {@code client_run_id}.
         *
         * @param given made by the client unless given; a repeated one counts once
         * @return this builder
         */
        public Builder clientRunId(String given) {
            return set("client_run_id", given);
        }

        /**
         * Sets {@code created_at}.
         *
         * @param given when the call began; the time of the report unless given
         * @return this builder
         */
        public Builder createdAt(Instant given) {
            return set("created_at", given == null ? null : time(given));
        }

        /**
         * Sets a member by its name on the wire, also one that this version has no method for.
         *
         * @param name such as {@code finish_reason}
         * @param value what can be turned into JSON
         * @return this builder
         */
        public Builder set(String name, Object value) {
            members.put(name, value);
            return this;
        }

        /**
         * The run. Whether it is complete is checked when it is reported.
         *
         * @return as filled in so far
         */
        public Run build() {
            return new Run(members);
        }
    }
}
