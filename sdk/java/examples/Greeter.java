import dev.promptdeck.NotFoundException;
import dev.promptdeck.Prompt;
import dev.promptdeck.PromptdeckClient;
import dev.promptdeck.Run;
import dev.promptdeck.WrapOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Greets each name on stdin with the prompt {@code greet}. Changes made in the console take effect immediately.
 *
 * <p>Start it with {@code java -cp "target/promptdeck-client-0.1.0.jar:target/lib/*" examples/Greeter.java}.
 */
public class Greeter {
    private static final String KEY = "greet";

    public static void main(String[] args) throws Exception {
        try (PromptdeckClient client = PromptdeckClient.builder()
                .appName("greeter")
                // Served if the service is down at the very first start.
                .fallback(Prompt.bundled(KEY, "Hello {{name}}"))
                .build()) {
            client.onUpdate(update -> System.out.println("# " + update.key() + " is now " + update.version()));
            client.onDisconnect(end -> System.out.println("# offline: " + end.reason()));
            client.onError(error -> System.out.println("# " + error.code() + ": " + error.getMessage()));
            client.watch(List.of(KEY));
            greetEach(client);
        }
    }

    private static void greetEach(PromptdeckClient client) throws Exception {
        System.out.println("Type a name:");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String name = in.readLine(); name != null; name = in.readLine()) {
            try {
                System.out.println(greet(client, name));
            } catch (NotFoundException e) {
                System.out.println("# Publish a prompt with the key " + KEY + " first: " + e.getMessage());
            }
        }
    }

    private static String greet(PromptdeckClient client, String name) throws Exception {
        Prompt prompt = client.getPrompt(KEY);
        Callable<String> call = client.wrap(
                () -> callModel(prompt.render(Map.of("name", name))),
                WrapOptions.of(Run.builder().provider("example").model("echo").prompt(prompt)));
        return call.call();
    }

    /** Placeholder for a call of your model. */
    private static String callModel(String input) throws IOException {
        return input;
    }
}
