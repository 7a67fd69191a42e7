import { otelSnippet } from './otelSnippet.ts'
import { fetchLines, keyOf, literal, type SnippetFor } from './promptLines.ts'

/** Name of the environment variable from which the programs read the token. */
export const tokenVariable = 'PROMPTDECK_TOKEN'

const socketOf = (origin: string): string => `${origin.replace(/^http/, 'ws')}/ws`
/** Escapes a text for single quotes in a shell. */
const shellQuoted = (value: string): string => value.replaceAll("'", "'\\''")

const runJson = (target: SnippetFor): string => `{
    "provider": "openai", "model": "gpt-4o", "status": "ok", "latency_ms": 840,
    "prompt_tokens": 812, "output_tokens": 64, "ref_key": ${literal(keyOf(target))},
    "workspace_id": ${literal(target.workspace)}
  }`

function curl(target: SnippetFor): string {
  const token = target.token ?? `$${tokenVariable}`
  return `${fetchLines.curl(target, token)}curl ${target.origin}/api/runs \\
  -H "Authorization: Bearer ${token}" \\
  -H "Content-Type: application/json" \\
  -d '${shellQuoted(runJson(target))}'
`
}

const node = (target: SnippetFor): string => `const url = ${literal(target.origin)}
const token = ${target.token === null ? `process.env.${tokenVariable}` : literal(target.token)}
${fetchLines.node(target)}
// Report a run: it appears in Runs.
const reply = await fetch(url + "/api/runs", {
  method: "POST",
  headers: { authorization: "Bearer " + token, "content-type": "application/json" },
  body: JSON.stringify(${runJson(target)}),
})
console.log(reply.status, await reply.text())

// Listen for changes: the app appears in Clients until it ends.
const socket = new WebSocket(${literal(socketOf(target.origin))})
socket.onopen = () => socket.send(JSON.stringify({
  type: "hello", token, client: "node-sdk", app: "my-node-app",
  namespace: ${literal(target.env)}, workspace: ${literal(target.workspace)},
}))
socket.onmessage = ({ data }) => console.log(data)
socket.onclose = ({ code, reason }) => console.log("closed", code, reason)
`

const python = (target: SnippetFor): string => `import json, os, urllib.request
from websockets.sync.client import connect  # pip install websockets

url = ${literal(target.origin)}
token = ${target.token === null ? `os.environ["${tokenVariable}"]` : literal(target.token)}
${fetchLines.python(target)}
# Report a run: it appears in Runs.
run = ${runJson(target)}
request = urllib.request.Request(
  url + "/api/runs", json.dumps(run).encode(),
  {"Authorization": "Bearer " + token, "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as reply:
  print(reply.status, reply.read().decode())

# Listen for changes: the app appears in Clients until it ends.
with connect(${literal(socketOf(target.origin))}) as socket:
  socket.send(json.dumps({
    "type": "hello", "token": token, "client": "python-sdk", "app": "my-python-app",
    "namespace": ${literal(target.env)}, "workspace": ${literal(target.workspace)},
  }))
  for message in socket:
    print(message)
`

const java = (target: SnippetFor): string => `import java.net.URI;
import java.net.http.*;
import java.util.concurrent.*;

class App {
  public static void main(String[] args) throws Exception {
    var url = ${literal(target.origin)};
    var token = ${target.token === null ? `System.getenv("${tokenVariable}")` : literal(target.token)};
    var http = HttpClient.newHttpClient();
${fetchLines.java(target)}
    // Report a run: it appears in Runs.
    var run = """
      {"provider": "openai", "model": "gpt-4o", "status": "ok", "latency_ms": 840,
       "prompt_tokens": 812, "output_tokens": 64, "ref_key": %s,
       "workspace_id": %s}""".formatted(${literal(literal(keyOf(target)))}, ${literal(literal(target.workspace))});
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
      .formatted(${literal(literal(target.env))}, ${literal(literal(target.workspace))}, token);
    http.newWebSocketBuilder().buildAsync(URI.create(${literal(socketOf(target.origin))}), new WebSocket.Listener() {
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
  env,
  workspace,
}: SnippetFor): string => `const socket = new WebSocket(${literal(socketOf(origin))})
socket.onopen = () => socket.send(JSON.stringify({
  type: "hello", client: "browser", app: "my-page",
  namespace: ${literal(env)}, workspace: ${literal(workspace)},
  token: ${token === null ? `"${tokenVariable}"` : literal(token)},
}))
socket.onmessage = ({ data }) => console.log(data)
socket.onclose = ({ code, reason }) => console.log("closed", code, reason)
`

/** Small programs that report a run to this service and listen for changes, in display order. */
export const snippets = {
  curl,
  node,
  python,
  java,
  websocket,
  opentelemetry: (target: SnippetFor) => otelSnippet(target, tokenVariable),
} as const
export type SnippetLanguage = keyof typeof snippets
export const snippetLanguages = Object.keys(snippets) as SnippetLanguage[]
