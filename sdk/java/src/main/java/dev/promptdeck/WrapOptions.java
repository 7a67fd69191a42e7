package dev.promptdeck;

import java.util.function.BiConsumer;

/**
 * What is known of a wrapped call beforehand, see {@link PromptdeckClient#wrap}.
 *
 * @param <T> what the call returns
 */
public final class WrapOptions<T> {
    private final Run run;
    private final BiConsumer<? super T, Run.Builder> usage;

    private WrapOptions(Run run, BiConsumer<? super T, Run.Builder> usage) {
        this.run = run;
        this.usage = usage;
    }

    /**
     * Options of a call.
     *
     * @param <T> what the call returns
     * @param run with {@code provider} and {@code model} at least; {@code latency} and {@code status} are measured
     * @return options without {@link #usage}
     */
    public static <T> WrapOptions<T> of(Run.Builder run) {
        return new WrapOptions<>(run.build(), null);
    }

    /**
     * Adds to the report what the result tells, such as tokens. What it throws is told as an error event.
     *
     * @param reader gets the result and the report, after a call that did not fail
     * @return other options
     */
    public WrapOptions<T> usage(BiConsumer<? super T, Run.Builder> reader) {
        return new WrapOptions<>(run, reader);
    }

    Run run() {
        return run;
    }

    BiConsumer<? super T, Run.Builder> usage() {
        return usage;
    }
}
