package dev.promptdeck;

import java.text.Normalizer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A client of a Promptdeck service, for any number of threads. Make one per application and close it at the end; its own
 * threads are daemons. All methods throw {@link ClosedException} after {@link #close()}.
 */
public final class PromptdeckClient implements AutoCloseable {
    /** UTF-16 units. */
    private static final int LONGEST_KEY = 200;

    private final ClientOptions options;
    private final Token token;
    private final Loop loop = new Loop();
    private final Events events = new Events();
    private final Http http;
    private final Disk disk;
    private final Link link;
    private final Fetches fetches;
    private final Prompts prompts;
    private final Prefetch prefetch;
    private final Watch watch;
    private final Reports reports;
    private final Calls calls;

    PromptdeckClient(ClientOptions options) {
        String instanceId = UUID.randomUUID().toString();
        this.options = options;
        this.token = new Token(options.token());
        this.calls = new Calls(loop, options.timings().request());
        this.http = new Http(options, token, instanceId, loop);
        this.disk = new Disk(options, loop, events);
        this.link = new Link(options, token, instanceId, http, loop, events);
        Refusals refusals = new Refusals(token);
        PromptApi api = new PromptApi(http, refusals, options);
        this.fetches = new Fetches(api, disk, events, token, link, loop, options.timings());
        this.prompts = new Prompts(fetches, disk, link, options);
        this.prefetch = new Prefetch(api, fetches, prompts, link);
        this.watch = new Watch(fetches, prefetch, link, loop, events, options.timings());
        this.reports = new Reports(http, refusals, loop, events, options.timings());
    }

    /**
     * The options of a client.
     *
     * @return a builder; only {@code appName} is required
     */
    public static PromptdeckClientBuilder builder() {
        return new PromptdeckClientBuilder();
    }

    /**
     * The prompt that is served under a key: from memory, else the service, else the disk, else the bundled texts. Takes
     * no longer than the request time-out.
     *
     * @param key such as {@code billing/refund}
     * @return the published version
     * @throws NotFoundException when nothing is served under the key
     * @throws UnavailableException when the service cannot say and there is no copy
     * @throws UnauthorizedException when it refuses the token (401) and there is no copy
     * @throws ForbiddenException when it refuses the token (403) and there is no copy
     */
    public Prompt getPrompt(String key) {
        String checked = checkedKey(key);
        Prompt current = current(checked);
        return current != null ? current : calls.await(() -> prompts.get(checked));
    }

    /**
     * The same without waiting.
     *
     * @param key such as {@code billing/refund}
     * @return fails as {@link #getPrompt} does
     */
    public CompletableFuture<Prompt> getPromptAsync(String key) {
        String checked = checkedKey(key);
        Prompt current = current(checked);
        return current != null
                ? CompletableFuture.completedFuture(current)
                : calls.promise(() -> prompts.get(checked));
    }

    /**
     * A prompt with its variables filled in, see {@link Templates#render}.
     *
     * @param key such as {@code billing/refund}
     * @param variables values by name
     * @return the text
     */
    public String render(String key, Map<String, ?> variables) {
        return getPrompt(key).render(variables);
    }

    /**
     * Fetches everything that is served into memory and onto disk.
     *
     * @throws UnavailableException when nothing could be had at all
     */
    public void prefetch() {
        calls.await(prefetch::all);
    }

    /**
     * Fetches those prompts into memory and onto disk. Keys that are not found are remembered as such.
     *
     * @param keys without one nothing is done
     * @throws PromptdeckException when none of them could be had
     */
    public void prefetch(Collection<String> keys) {
        List<String> wanted = checked(keys);
        calls.await(() -> prefetch.keys(wanted));
    }

    /**
     * Opens the live connection, over which the service tells of changes to the prompts that were asked for. Answers once
     * it is connected, or after the request time-out without it; the client then goes on trying by itself.
     */
    public void watch() {
        watch(List.of());
    }

    /**
     * The same, also for prompts that were not asked for yet. A second call only adds keys.
     *
     * @param keys to hear of
     */
    public void watch(Collection<String> keys) {
        List<String> wanted = checked(keys);
        calls.awaitUntilTimeout(() -> watch.start(wanted));
    }

    /**
     * Listens for the live connection being up.
     *
     * @param listener called on a thread of the client's
     * @return stops it
     */
    public Subscription onConnect(Consumer<Connected> listener) {
        return on(Connected.class, listener);
    }

    /**
     * Listens for the live connection having ended.
     *
     * @param listener called on a thread of the client's
     * @return stops it
     */
    public Subscription onDisconnect(Consumer<Disconnected> listener) {
        return on(Disconnected.class, listener);
    }

    /**
     * Listens for changes of prompts.
     *
     * @param listener called on a thread of the client's
     * @return stops it
     */
    public Subscription onUpdate(Consumer<Update> listener) {
        return on(Update.class, listener);
    }

    /**
     * Listens for everything being fetched again.
     *
     * @param listener called on a thread of the client's
     * @return stops it
     */
    public Subscription onResync(Consumer<Resync> listener) {
        return on(Resync.class, listener);
    }

    /**
     * Listens for errors that no call could throw.
     *
     * @param listener called on a thread of the client's
     * @return stops it
     */
    public Subscription onError(Consumer<PromptdeckException> listener) {
        return on(PromptdeckException.class, listener);
    }

    /**
     * Reports a call of a model. It is sent with others in a moment, and again until the service has it.
     *
     * @param run with provider, model, latency and status at least
     * @return its {@code client_run_id}
     * @throws InvalidException when it is not complete; never because of the service
     */
    public String reportRun(Run run) {
        calls.requireOpen();
        RunJson json = RunJson.of(run, options.workspace());
        loop.execute(() -> reports.add(json));
        return json.clientRunId();
    }

    /**
     * A call that is timed and reported each time it is made.
     *
     * @param <T> what it returns
     * @param call returns and throws as before
     * @param wrapping what is known of it
     * @return to be called instead
     * @throws InvalidException without provider or model
     */
    public <T> Callable<T> wrap(Callable<T> call, WrapOptions<T> wrapping) {
        calls.requireOpen();
        Map<String, Object> known = wrapping.run().members();
        if (call == null || known.get("provider") == null || known.get("model") == null) {
            throw new InvalidException("A wrapped call needs the call, its provider and its model.");
        }
        return new Wrapped<>(call, wrapping, this::reportRun, events::emit);
    }

    /** Sends the runs reported so far, and waits until they are, but no longer than the request time-out. */
    public void flush() {
        calls.awaitUntilTimeout(reports::flush);
    }

    /**
     * Exchanges the token. What was refused with the old one is tried again.
     *
     * @param secret as the console showed it
     */
    public void setToken(String secret) {
        calls.requireOpen();
        token.set(ClientOptions.token(secret));
        loop.execute(() -> {
            fetches.tokenChanged();
            link.tokenChanged();
            reports.tokenChanged();
        });
    }

    /**
     * How many reported runs are not sent; after {@link #close()}, how many could not be.
     *
     * @return 0 when all are
     */
    public int unsentRuns() {
        return reports.size();
    }

    /**
     * Sends the runs that are left, for at most the request time-out, and ends everything. A second call does nothing.
     * See {@link #unsentRuns()}.
     */
    @Override
    public void close() {
        if (!calls.close(reports::drain)) return;
        events.close();
        calls.finish(link::close);
        calls.finish(() -> {
            http.close();
            return CompletableFuture.completedFuture(null);
        });
        disk.close();
        loop.close();
        http.end();
    }

    private <T> Subscription on(Class<T> type, Consumer<? super T> listener) {
        calls.requireOpen();
        return events.on(type, listener);
    }

    private Prompt current(String key) {
        calls.requireOpen();
        return prompts.current(key);
    }

    /** Returns the key in Unicode normalization form C, as the service stores and announces it. */
    private static String checkedKey(String given) {
        String key = given == null ? "" : Normalizer.normalize(given, Normalizer.Form.NFC);
        if (key.isEmpty() || key.length() > LONGEST_KEY) {
            throw new InvalidException("A key must be given, as 1 to " + LONGEST_KEY + " characters.");
        }
        return key;
    }

    private static List<String> checked(Collection<String> keys) {
        if (keys == null) throw new InvalidException("Keys must be given; none is an empty list.");
        return keys.stream().map(PromptdeckClient::checkedKey).toList();
    }
}
