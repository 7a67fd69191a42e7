package dev.promptdeck;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A thread-safe client of a Promptdeck service. Create one per application and close it at the end; its own threads
 * are daemons. After {@link #close()}, all methods throw {@link ClosedException}.
 */
public final class PromptdeckClient extends Listeners implements AutoCloseable {
    private final ClientOptions options;
    private final Token token;
    private final Loop loop = new Loop();
    private final Events events = new Events();
    private final Http http;
    private final Disk disk;
    private final LiveConnection live;
    private final Fetches fetches;
    private final Prompts prompts;
    private final Prefetch prefetch;
    private final Watch watch;
    private final Reports reports;
    private final Calls calls;
    private final ExitHook exitHook;

    PromptdeckClient(ClientOptions options) {
        String instanceId = UUID.randomUUID().toString();
        this.options = options;
        this.token = new Token(options.token());
        this.calls = new Calls(loop, options.timings().request());
        this.http = new Http(options, token, instanceId, loop);
        this.disk = new Disk(options, loop, events);
        ErrorReplies errorReplies = new ErrorReplies(token);
        this.reports = new Reports(http, errorReplies, loop, events, options.timings());
        this.exitHook = new ExitHook(() -> calls.finish(reports::sendLast));
        this.live = new LiveConnection(options, token, instanceId, http, loop, events, reports);
        PromptApi api = new PromptApi(http, errorReplies, options);
        this.fetches = new Fetches(api, disk, events, token, live, loop, options.timings());
        this.prompts = new Prompts(fetches, disk, live, options);
        this.prefetch = new Prefetch(api, fetches, prompts, live, loop);
        this.watch = new Watch(fetches, prefetch, live, loop, events, options.timings());
    }

    /**
     * Starts the options of a client.
     *
     * @return a builder; only {@code appName} is required
     */
    public static PromptdeckClientBuilder builder() {
        return new PromptdeckClientBuilder();
    }

    /**
     * Returns the prompt that is served under a key: from memory, else the service, else the disk, else the bundled
     * texts. Takes at most the request timeout.
     *
     * @param key such as {@code billing/refund}
     * @return the published version
     * @throws NotFoundException if nothing is served under the key
     * @throws UnavailableException if the service is not available and there is no copy
     * @throws UnauthorizedException if the service rejects the token (401) and there is no copy
     * @throws ForbiddenException if the token has no permission (403) and there is no copy
     */
    public Prompt getPrompt(String key) {
        String checked = KeyCheck.checked(key);
        Prompt current = current(checked);
        return current != null ? current : calls.await(() -> prompts.get(checked));
    }

    /**
     * Returns the prompt that is served under a key, like {@link #getPrompt}, without blocking.
     *
     * @param key such as {@code billing/refund}
     * @return a future that fails as {@link #getPrompt} throws
     */
    public CompletableFuture<Prompt> getPromptAsync(String key) {
        String checked = KeyCheck.checked(key);
        Prompt current = current(checked);
        return current != null ? CompletableFuture.completedFuture(current) : calls.promise(() -> prompts.get(checked));
    }

    /**
     * Renders a prompt with variables, see {@link Templates#render}.
     *
     * @param key such as {@code billing/refund}
     * @param variables values by name
     * @return the text
     */
    public String render(String key, Map<String, ?> variables) {
        return getPrompt(key).render(variables);
    }

    /**
     * Renders the messages of a prompt, see {@link Prompt#renderMessages}. A text becomes one message of the user.
     *
     * @param key such as {@code billing/refund}
     * @param variables values by name
     * @param placeholders lists of messages to insert, by the name of their placeholder
     * @return the messages
     */
    public List<Message> renderMessages(
            String key, Map<String, ?> variables, Map<String, ? extends List<Message>> placeholders) {
        return getPrompt(key).renderMessages(variables, placeholders);
    }

    /**
     * Fetches all served prompts into memory and onto disk.
     *
     * @throws UnavailableException if nothing at all is available
     */
    public void prefetch() {
        calls.awaitUntilTimeout(prefetch::all, fetches::isAnyInMemory);
    }

    /**
     * Fetches the given prompts into memory and onto disk. Missing keys are remembered.
     *
     * @param keys the keys; does nothing if it is empty
     * @throws PromptdeckException if none of them is available
     */
    public void prefetch(Collection<String> keys) {
        List<String> checkedKeys = KeyCheck.checked(keys);
        calls.awaitUntilTimeout(
                () -> prefetch.keys(checkedKeys),
                () -> checkedKeys.stream().anyMatch(key -> fetches.cached(key) != null));
    }

    /**
     * Opens the live connection, over which the service announces changes of the prompts in use. Returns once it is
     * open, or after the request timeout; the client then keeps trying.
     */
    public void watch() {
        watch(List.of());
    }

    /**
     * Opens the live connection, also for prompts that were not requested yet. A second call only adds keys.
     *
     * @param keys keys to follow
     */
    public void watch(Collection<String> keys) {
        List<String> checkedKeys = KeyCheck.checked(keys);
        calls.awaitUntilTimeout(() -> watch.start(checkedKeys), () -> true);
    }

    /**
     * Reports a call of a model. Reports are sent in batches, and retried until the service has stored them.
     *
     * @param run a run with at least provider, model, latency and status
     * @return its {@code client_run_id}
     * @throws InvalidException if a required value is missing; never because of the service
     */
    public String reportRun(Run run) {
        calls.requireOpen();
        RunJson json = RunJson.of(run, options);
        exitHook.add();
        loop.execute(() -> reports.add(json));
        return json.clientRunId();
    }

    /**
     * Wraps a call so that each execution is measured and reported.
     *
     * @param <T> type of the result
     * @param call the call; its result and exceptions are passed on
     * @param wrapping fields of the report that are known in advance
     * @return the wrapped call
     * @throws InvalidException if provider or model is missing
     */
    public <T> Callable<T> wrap(Callable<T> call, WrapOptions<T> wrapping) {
        calls.requireOpen();
        Map<String, Object> known = wrapping.run().members();
        if (call == null || known.get("provider") == null || known.get("model") == null) {
            throw new InvalidException("A wrapped call requires the call, its provider and its model.");
        }
        return new Wrapped<>(call, wrapping, this::reportRun, events::emit);
    }

    /** Sends the runs reported so far. Waits for at most the request timeout. */
    public void flush() {
        calls.awaitUntilTimeout(reports::flush, () -> true);
    }

    /**
     * Replaces the token. Requests that failed with the old one are tried again.
     *
     * @param secret the token as the console showed it
     */
    public void setToken(String secret) {
        calls.requireOpen();
        token.set(ClientOptions.token(secret));
        loop.execute(() -> {
            fetches.tokenChanged();
            live.tokenChanged();
            reports.retryNow();
        });
    }

    /**
     * Returns how many reported runs are not sent yet; after {@link #close()}, how many could not be sent.
     *
     * @return 0 if all are sent
     */
    public int unsentRuns() {
        return reports.size();
    }

    /**
     * Sends the remaining runs, for at most the request timeout, and closes the client. A second call does nothing.
     * See {@link #unsentRuns()}.
     */
    @Override
    public void close() {
        // A thread that was interrupted before still sends its runs; an interrupt while closing ends the wait.
        boolean wasInterrupted = Thread.interrupted();
        exitHook.remove();
        if (calls.close(reports::flush)) end();
        if (wasInterrupted) Thread.currentThread().interrupt();
    }

    private void end() {
        calls.finish(reports::reportDropped);
        events.close();
        calls.finish(live::close);
        calls.finish(() -> {
            http.close();
            return CompletableFuture.completedFuture(null);
        });
        disk.close(options.timings().request());
        loop.close();
        http.end();
    }

    @Override
    <T> Subscription on(Class<T> type, Consumer<? super T> listener) {
        calls.requireOpen();
        return events.on(type, listener);
    }

    private Prompt current(String key) {
        calls.requireOpen();
        return prompts.current(key);
    }
}
