/** Values of a snippet. `token`: the token itself, or null to read it from the environment. */
export type SnippetFor = {
  readonly origin: string
  readonly namespace: string
  readonly workspace: string
  readonly token: string | null
}

/** Name of the environment variable from which the programs read the token. */
export const tokenVariable = 'PROMPTDECK_TOKEN'

/** Returns a string literal that is valid in JavaScript, Python and Java. */
export const literal = (value: string): string => JSON.stringify(value)
const socketOf = (origin: string): string => `${origin.replace(/^http/, 'ws')}/ws`
/** Escapes a text for single quotes in a shell. */
const shellQuoted = (value: string): string => value.replaceAll("'", "'\\''")

const runJson = (workspace: string): string => `{
    "provider": "openai", "model": "gpt-4o", "status": "ok", "latency_ms": 840,
    "prompt_tokens": 812, "output_tokens": 64, "ref_key": "greet",
    "workspace_id": ${literal(workspace)}
  }`

const curl = ({ origin, token, workspace }: SnippetFor): string => `curl ${origin}/api/runs \\
  -H "Authorization: Bearer ${token ?? `$${tokenVariable}`}" \\
  -H "Content-Type: application/json" \\
  -d '${shellQuoted(runJson(workspace))}'
`

const node = ({ origin, token, namespace, workspace }: SnippetFor): string => `const url = ${literal(origin)}
const token = ${token === null ? `process.env.${tokenVariable}` : literal(token)}

// Report a run: it appears in Runs.
const reply = await fetch(url + "/api/runs", {
  method: "POST",
  headers: { authorization: "Bearer " + token, "content-type": "application/json" },
  body: JSON.stringify(${runJson(workspace)}),
})
console.log(reply.status, await reply.text())

// Listen for changes: the app appears in Clients until it ends.
const socket = new WebSocket(${literal(socketOf(origin))})
socket.onopen = () => socket.send(JSON.stringify({
  type: "hello", token, client: "node-sdk", app: "my-node-app",
  namespace: ${literal(namespace)}, workspace: ${literal(workspace)},
}))
socket.onmessage = ({ data }) => console.log(data)
socket.onclose = ({ code, reason }) => console.log("closed", code, reason)
`

const python = ({
  origin,
  token,
  namespace,
  workspace,
}: SnippetFor): string => `import json, os, urllib.request
from websockets.sync.client import connect  # pip install websockets

url = ${literal(origin)}
token = ${token === null ? `os.environ["${tokenVariable}"]` : literal(token)}

# Report a run: it appears in Runs.
run = ${runJson(workspace)}
request = urllib.request.Request(
  url + "/api/runs", json.dumps(run).encode(),
  {"Authorization": "Bearer " + token, "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as reply:
  print(reply.status, reply.read().decode())

# Listen for changes: the app appears in Clients until it ends.
with connect(${literal(socketOf(origin))}) as socket:
  socket.send(json.dumps({
    "type": "hello", "token": token, "client": "python-sdk", "app": "my-python-app",
    "namespace": ${literal(namespace)}, "workspace": ${literal(workspace)},
  }))
  for message in socket:
    print(message)
`

const java = ({ origin, token, namespace, workspace }: SnippetFor): string => `import java.net.URI;
import java.net.http.*;
import java.util.concurrent.*;

class App {
  public static void main(String[] args) throws Exception {
    var url = ${literal(origin)};
    var token = ${token === null ? `System.getenv("${tokenVariable}")` : literal(token)};
    var http = HttpClient.newHttpClient();

    // Report a run: it appears in Runs.
    var run = """
      {"provider": "openai", "model": "gpt-4o", "status": "ok", "latency_ms": 840,
       "prompt_tokens": 812, "output_tokens": 64, "ref_key": "greet",
       "workspace_id": %s}""".formatted(${literal(literal(workspace))});
    var reply = http.send(HttpRequest.newBuilder(URI.create(url + "/api/runs"))
      .header("Authorization", "Bearer " + token)
      .header("Content-Type", "application/json")
      .POST(HttpRequest.BodyPublishers.ofString(run)).build(),
      HttpResponse.BodyHandlers.ofString());
    System.out.println(reply.statusCode() + " " + reply.body());

    // Listen for changes: the app appears in Clients until it ends.
    var closed = new CountDownLatch(1);
    var hello = """
      {"type": "hello", "client": "java-sdk", "app": "my-java-app",
       "namespace": %s, "workspace": %s, "token": "%s"}"""
      .formatted(${literal(literal(namespace))}, ${literal(literal(workspace))}, token);
    http.newWebSocketBuilder().buildAsync(URI.create(${literal(socketOf(origin))}), new WebSocket.Listener() {
      public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
        System.out.println(data);
        socket.request(1);
        return null;
      }
      public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
        System.out.println("closed " + code + " " + reason);
        closed.countDown();
        return null;
      }
    }).join().sendText(hello, true);
    closed.await();
  }
}
`

const websocket = ({
  origin,
  token,
  namespace,
  workspace,
}: SnippetFor): string => `const socket = new WebSocket(${literal(socketOf(origin))})
socket.onopen = () => socket.send(JSON.stringify({
  type: "hello", client: "browser", app: "my-page",
  namespace: ${literal(namespace)}, workspace: ${literal(workspace)},
  token: ${token === null ? `"${tokenVariable}"` : literal(token)},
}))
socket.onmessage = ({ data }) => console.log(data)
socket.onclose = ({ code, reason }) => console.log("closed", code, reason)
`

/** Small programs that report a run to this service and listen for changes, in display order. */
export const snippets = { curl, node, python, java, websocket } as const
export type SnippetLanguage = keyof typeof snippets
export const snippetLanguages = Object.keys(snippets) as SnippetLanguage[]
