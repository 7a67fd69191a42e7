package dev.promptdeck;

import java.util.function.BiConsumer;

/**
 * Options of a wrapped call, see {@link PromptdeckClient#wrap}.
 *
 * @param <T> type of the call's result
 */
public final class WrapOptions<T> {
    private final Run run;
    private final BiConsumer<? super T, Run.Builder> usage;

    private WrapOptions(Run run, BiConsumer<? super T, Run.Builder> usage) {
        this.run = run;
        this.usage = usage;
    }

    /**
     * Creates options from fields that are known in advance.
     *
     * @param <T> type of the call's result
     * @param run a run with at least {@code provider} and {@code model}; {@code latency} and {@code status} are
     *   measured
     * @return options without {@link #usage}
     */
    public static <T> WrapOptions<T> of(Run.Builder run) {
        return new WrapOptions<>(run.build(), null);
    }

    /**
     * Adds fields that are derived from the result, such as token counts. An exception of the function becomes an
     * error event.
     *
     * @param reader gets the result and the report, after each successful call
     * @return a copy of these options with the function
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
