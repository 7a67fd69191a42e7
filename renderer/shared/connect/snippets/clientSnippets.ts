import { keyOf, literal, renderLines, type SnippetFor } from './promptLines.ts'
import { type SnippetLanguage, tokenVariable } from './snippets.ts'

const node = (target: SnippetFor): string => `import { Client } from "@promptdeck/sdk"

const client = new Client({
  server: ${literal(target.origin)},
  token: ${target.token === null ? `process.env.${tokenVariable}` : literal(target.token)},
  appName: "my-node-app",
  namespace: ${literal(target.env)},
  workspace: ${literal(target.workspace)},
})
client.on("connect", () => console.log("connected"))
client.on("update", ({ key, version }) => console.log(key, "is now", version))
client.on("error", ({ error }) => console.error(error.message))

// Listen for changes: the app appears in Clients until it ends.
await client.watch([${literal(keyOf(target))}])

// Report a run: it appears in Runs.
client.reportRun({
  provider: "openai", model: "gpt-4o", status: "ok", latency_ms: 840,
  prompt_tokens: 812, output_tokens: 64, ref_key: ${literal(keyOf(target))},
})

${renderLines.node(target)}
`

const python = (target: SnippetFor): string => `import os, threading
from promptdeck import Client

client = Client(
  server=${literal(target.origin)},
  token=${target.token === null ? `os.environ["${tokenVariable}"]` : literal(target.token)},
  app_name="my-python-app",
  namespace=${literal(target.env)},
  workspace=${literal(target.workspace)},
)
client.on("connect", lambda event: print("connected", flush=True))
client.on("update", lambda event: print(event.key, "is now", event.version, flush=True))
client.on("error", lambda event: print(event.error, flush=True))

# Listen for changes: the app appears in Clients until it ends.
client.watch([${literal(keyOf(target))}])

# Report a run: it appears in Runs.
client.report_run({
  "provider": "openai", "model": "gpt-4o", "status": "ok", "latency_ms": 840,
  "prompt_tokens": 812, "output_tokens": 64, "ref_key": ${literal(keyOf(target))},
})

${renderLines.python(target)}
threading.Event().wait()
`

const java = (
  target: SnippetFor,
): string => `${target.prompt?.isChat === true ? 'import dev.promptdeck.Message;\n' : ''}import dev.promptdeck.PromptdeckClient;
import dev.promptdeck.Run;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

class App {
  public static void main(String[] args) throws Exception {
    var client = PromptdeckClient.builder()
      .server(${literal(target.origin)})
      .token(${target.token === null ? `System.getenv("${tokenVariable}")` : literal(target.token)})
      .appName("my-java-app")
      .namespace(${literal(target.env)})
      .workspace(${literal(target.workspace)})
      .build();
    client.onConnect(event -> System.out.println("connected"));
    client.onUpdate(event -> System.out.println(event.key() + " is now " + event.version()));
    client.onError(event -> System.out.println(event));

    // Listen for changes: the app appears in Clients until it ends.
    client.watch(List.of(${literal(keyOf(target))}));

    // Report a run: it appears in Runs.
    client.reportRun(Run.builder().provider("openai").model("gpt-4o").status(Run.Status.OK)
      .latency(Duration.ofMillis(840)).promptTokens(812).outputTokens(64).refKey(${literal(keyOf(target))}).build());

    ${renderLines.java(target)}
    new CountDownLatch(1).await();
  }
}
`

/** The programs of `snippets`, written with the SDKs. */
export const clientSnippets = { node, python, java } as const

export const hasClient = (language: SnippetLanguage): language is keyof typeof clientSnippets =>
  Object.hasOwn(clientSnippets, language)
