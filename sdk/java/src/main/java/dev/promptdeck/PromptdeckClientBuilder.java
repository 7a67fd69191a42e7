package dev.promptdeck;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Options of a client. {@code PROMPTDECK_SERVER}, {@code PROMPTDECK_TOKEN}, {@code PROMPTDECK_NAMESPACE} and {@code
 * PROMPTDECK_APP} of the environment stand in for what is not given.
 */
public final class PromptdeckClientBuilder {
    private String server;
    private String token;
    private String appName;
    private String namespace;
    private String workspace = "default";
    private Path cacheDir;
    private final List<Prompt> fallbacks = new ArrayList<>();
    private Timings timings = Timings.defaults();
    private Map<String, String> environment = System.getenv();

    PromptdeckClientBuilder() {}

    /**
     * The service's address; without one {@code http://127.0.0.1:4780}.
     *
     * @param url http or https
     * @return this builder
     */
    public PromptdeckClientBuilder server(String url) {
        this.server = url;
        return this;
    }

    /**
     * An API token. It is sent to the service's address only, and never stands in a URL, log line or error.
     *
     * @param secret as the console showed it
     * @return this builder
     */
    public PromptdeckClientBuilder token(String secret) {
        this.token = secret;
        return this;
    }

    /**
     * What the service lists this application as.
     *
     * @param name 1 to 128 characters
     * @return this builder
     */
    public PromptdeckClientBuilder appName(String name) {
        this.appName = name;
        return this;
    }

    /**
     * The environment to fetch from; without one {@code prod}.
     *
     * @param name {@code dev}, {@code test} or {@code prod}
     * @return this builder
     */
    public PromptdeckClientBuilder namespace(String name) {
        this.namespace = name;
        return this;
    }

    /**
     * The workspace to fetch from and to report to; without one {@code default}.
     *
     * @param idOrSlug 1 to 64 characters
     * @return this builder
     */
    public PromptdeckClientBuilder workspace(String idOrSlug) {
        this.workspace = idOrSlug;
        return this;
    }

    /**
     * Where copies of prompts are kept for times without the service; without one {@code promptdeck/} in the user's
     * cache folder. It may be shared by several clients and processes.
     *
     * @param folder made when it is not there
     * @return this builder
     */
    public PromptdeckClientBuilder cacheDir(Path folder) {
        this.cacheDir = folder;
        return this;
    }

    /**
     * A text to serve under a prompt's key when neither the service nor the disk has it.
     *
     * @param prompt see {@link Prompt#bundled}
     * @return this builder
     */
    public PromptdeckClientBuilder fallback(Prompt prompt) {
        fallbacks.add(prompt);
        return this;
    }

    /**
     * How long things last.
     *
     * @param given see {@link Timings#defaults()}
     * @return this builder
     */
    public PromptdeckClientBuilder timings(Timings given) {
        this.timings = given;
        return this;
    }

    /**
     * What stands in for the environment of the process.
     *
     * @param variables by name
     * @return this builder
     */
    public PromptdeckClientBuilder environment(Map<String, String> variables) {
        this.environment = Map.copyOf(variables);
        return this;
    }

    /**
     * Makes the client. Nothing is sent before it is asked for something.
     *
     * @return a client to close at the end
     * @throws InvalidException when an option is wrong
     */
    public PromptdeckClient build() {
        if (timings == null) throw new InvalidException("timings must not be null. See Timings.defaults().");
        String place = ClientOptions.name("namespace", either(namespace, "PROMPTDECK_NAMESPACE", "prod"), 64);
        Map<String, Prompt> bundled = new HashMap<>();
        fallbacks.forEach(prompt -> bundled.put(prompt.key(), prompt.asFallback(place)));
        return new PromptdeckClient(new ClientOptions(
                ClientOptions.serverOf(either(server, "PROMPTDECK_SERVER", "http://127.0.0.1:4780")),
                ClientOptions.token(either(token, "PROMPTDECK_TOKEN", null)),
                ClientOptions.name("appName", either(appName, "PROMPTDECK_APP", null), 128),
                place,
                ClientOptions.name("workspace", workspace, 64),
                cacheDir == null ? CacheFolder.ofUser(environment) : cacheDir,
                Map.copyOf(bundled),
                timings.checked()));
    }

    private String either(String given, String variable, String otherwise) {
        if (given != null) return given;
        String found = environment.get(variable);
        return found == null || found.isEmpty() ? otherwise : found;
    }
}
