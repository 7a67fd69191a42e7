package dev.promptdeck;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Options of a client. Missing ones are taken from the environment variables {@code PROMPTDECK_URL}, {@code
 * PROMPTDECK_TOKEN}, {@code PROMPTDECK_CA}, {@code PROMPTDECK_NAMESPACE} and {@code PROMPTDECK_APP}. Without address,
 * token and CA, a server that the command {@code promptdeck pair} stored is used, if there is one. {@code
 * PROMPTDECK_SERVER} is the name of a stored server, or an address.
 */
public final class PromptdeckClientBuilder {
    private String server;
    private String token;
    private String ca;
    private String appName;
    private String namespace;
    private String workspace = "default";
    private Path cacheDir;
    private final List<Prompt> fallbacks = new ArrayList<>();
    private Timings timings = Timings.defaults();
    private Map<String, String> environment = System.getenv();

    PromptdeckClientBuilder() {}

    /**
     * Sets the address of the service; by default {@code http://127.0.0.1:4780}.
     *
     * @param url http or https
     * @return this builder
     */
    public PromptdeckClientBuilder server(String url) {
        this.server = url;
        return this;
    }

    /**
     * Sets the API token. It is sent only to the service's address, and never occurs in a URL, log line or error.
     *
     * @param secret the token as the console showed it
     * @return this builder
     */
    public PromptdeckClientBuilder token(String secret) {
        this.token = secret;
        return this;
    }

    /**
     * Sets the CA certificate that issued the service's certificate. No other CA is trusted then; by default those of
     * the Java runtime are.
     *
     * @param textOrPath PEM text, or the path of a PEM file
     * @return this builder
     */
    public PromptdeckClientBuilder ca(String textOrPath) {
        this.ca = textOrPath;
        return this;
    }

    /**
     * Sets the name under which the service lists this application.
     *
     * @param name 1 to 128 characters
     * @return this builder
     */
    public PromptdeckClientBuilder appName(String name) {
        this.appName = name;
        return this;
    }

    /**
     * Sets the environment to fetch from; by default {@code prod}.
     *
     * @param name {@code dev}, {@code test} or {@code prod}
     * @return this builder
     */
    public PromptdeckClientBuilder namespace(String name) {
        this.namespace = name;
        return this;
    }

    /**
     * Sets the workspace to fetch from and to report to; by default {@code default}.
     *
     * @param idOrSlug 1 to 64 characters
     * @return this builder
     */
    public PromptdeckClientBuilder workspace(String idOrSlug) {
        this.workspace = idOrSlug;
        return this;
    }

    /**
     * Sets the folder for copies of prompts, used while the service is down; by default {@code promptdeck/} in the
     * user's cache folder. Clients and processes may share it.
     *
     * @param folder created if it does not exist
     * @return this builder
     */
    public PromptdeckClientBuilder cacheDir(Path folder) {
        this.cacheDir = folder;
        return this;
    }

    /**
     * Adds a text to serve if neither the service nor the disk has the prompt.
     *
     * @param prompt see {@link Prompt#bundled}
     * @return this builder
     */
    public PromptdeckClientBuilder fallback(Prompt prompt) {
        fallbacks.add(prompt);
        return this;
    }

    /**
     * Sets time limits and intervals.
     *
     * @param value see {@link Timings#defaults()}
     * @return this builder
     */
    public PromptdeckClientBuilder timings(Timings value) {
        this.timings = value;
        return this;
    }

    /**
     * Replaces the environment variables of the process.
     *
     * @param variables values by name
     * @return this builder
     */
    public PromptdeckClientBuilder environment(Map<String, String> variables) {
        this.environment = Map.copyOf(variables);
        return this;
    }

    /**
     * Creates the client. Sends nothing before the first call.
     *
     * @return a client, to be closed at the end
     * @throws InvalidException if an option is invalid
     */
    public PromptdeckClient build() {
        if (timings == null) throw new InvalidException("timings must not be null. See Timings.defaults().");
        String validNamespace = ClientOptions.name("namespace", either(namespace, "PROMPTDECK_NAMESPACE", "prod"), 64);
        if (cacheDir != null && cacheDir.toString().isEmpty()) {
            throw new InvalidException("cacheDir is empty. Set it to a folder, or omit it.");
        }
        Target target = Target.of(server, token, ca, environment);
        Map<String, Prompt> bundled = new HashMap<>();
        fallbacks.forEach(prompt -> bundled.put(prompt.key(), prompt.asFallback(validNamespace)));
        return new PromptdeckClient(new ClientOptions(
                target.server(),
                target.token(),
                target.ca(),
                ClientOptions.name("appName", either(appName, "PROMPTDECK_APP", null), 128),
                validNamespace,
                ClientOptions.name("workspace", workspace, 64),
                cacheDir == null ? CacheFolder.ofUser(environment) : cacheDir,
                Map.copyOf(bundled),
                timings.checked()));
    }

    private String either(String value, String variable, String otherwise) {
        if (value != null) return value;
        String found = environment.get(variable);
        return found == null || found.isEmpty() ? otherwise : found;
    }
}
