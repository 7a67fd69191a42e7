package dev.promptdeck;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** A call that is measured and reported. A failure of the report does not affect the call. */
final class Wrapped<T> implements Callable<T> {
    /** Maximum length that the service accepts. */
    private static final int MAX_CHARACTERS = 8192;

    private final Callable<T> call;
    private final WrapOptions<T> options;
    private final Consumer<Run> report;
    private final Consumer<PromptdeckException> failed;

    Wrapped(Callable<T> call, WrapOptions<T> options, Consumer<Run> report, Consumer<PromptdeckException> failed) {
        this.call = call;
        this.options = options;
        this.report = report;
        this.failed = failed;
    }

    @Override
    public T call() throws Exception {
        long start = System.nanoTime();
        T result;
        try {
            result = call.call();
        } catch (Throwable error) {
            report(start, run -> run.status(Run.Status.ERROR)
                    .error(message(error))
                    .errorType(ErrorType.of(error)));
            throw error;
        }
        report(start, run -> {
            run.status(Run.Status.OK);
            if (options.usage() != null) options.usage().accept(result, run);
        });
        return result;
    }

    private void report(long start, Consumer<Run.Builder> rest) {
        Duration latency = Duration.ofNanos(System.nanoTime() - start);
        Run.Builder run = Run.builder();
        try {
            options.run().members().forEach(run::set);
            run.latency(latency);
            rest.accept(run);
        } catch (Throwable e) {
            // The result of the call must reach the app.
            failed.accept(new InvalidException("usage() failed for a result: " + e, e));
        }
        try {
            report.accept(run.build());
        } catch (PromptdeckException e) {
            failed.accept(e);
        } catch (RuntimeException e) {
            failed.accept(new InvalidException("The run cannot be converted to JSON: " + e, e));
        }
    }

    private static String message(Throwable error) {
        String message = error.getMessage() == null ? error.toString() : error.getMessage();
        return message.length() <= MAX_CHARACTERS ? message : message.substring(0, MAX_CHARACTERS);
    }
}
