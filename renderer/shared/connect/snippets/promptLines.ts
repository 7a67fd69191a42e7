/** The prompt that a snippet fetches. */
export type SnippetPrompt = {
  readonly key: string
  readonly isChat: boolean
  readonly variables: readonly string[]
  /** Names of the lists of messages that a chat inserts. */
  readonly placeholders: readonly string[]
}

/** Values of a snippet. `token`: the token itself, or null to read it from the environment. */
export type SnippetFor = {
  readonly origin: string
  readonly env: string
  readonly workspace: string
  readonly token: string | null
  /** The prompt that the program uses; null for an example. */
  readonly prompt: SnippetPrompt | null
}

/** Key in the snippets if no prompt is chosen. */
const exampleKey = 'greet'
export const keyOf = ({ prompt }: SnippetFor): string => prompt?.key ?? exampleKey

/** Returns a string literal that is valid in JavaScript, Python and Java. */
export const literal = (value: string): string => JSON.stringify(value)

const addressOf = ({ key }: SnippetPrompt, { env, workspace }: SnippetFor): string =>
  `/api/sdk/prompts/${encodeURIComponent(key)}?${new URLSearchParams({ env, workspace })}`

const fieldOf = ({ isChat }: SnippetPrompt): string => (isChat ? 'messages' : 'content')
const comment = ({ isChat }: SnippetPrompt): string =>
  isChat
    ? 'Fetch the chat: its messages with their variables, and the parameters of the model.'
    : 'Fetch the prompt: its text with its variables.'

/** Returns the lines that fetch the chosen prompt without the SDK; empty without one. */
export const fetchLines = {
  curl: (target: SnippetFor, token: string): string => {
    const { prompt, origin } = target
    if (prompt === null) return ''
    // A URL has no single quotes, except unescaped ones of the key.
    const url = `${origin}${addressOf(prompt, target)}`.replaceAll("'", '%27')
    return `# ${comment(prompt)}\ncurl '${url}' \\\n  -H "Authorization: Bearer ${token}"\n\n`
  },
  node: (target: SnippetFor): string => {
    const { prompt } = target
    if (prompt === null) return ''
    return `
// ${comment(prompt)}
const prompt = await fetch(url + ${literal(addressOf(prompt, target))}, {
  headers: { authorization: "Bearer " + token },
})
console.log(prompt.status, (await prompt.json()).${fieldOf(prompt)})
`
  },
  python: (target: SnippetFor): string => {
    const { prompt } = target
    if (prompt === null) return ''
    return `
# ${comment(prompt)}
request = urllib.request.Request(
  url + ${literal(addressOf(prompt, target))}, headers={"Authorization": "Bearer " + token}
)
with urllib.request.urlopen(request) as reply:
  print(reply.status, json.load(reply)["${fieldOf(prompt)}"], flush=True)
`
  },
  java: (target: SnippetFor): string => {
    const { prompt } = target
    if (prompt === null) return ''
    return `
    // ${comment(prompt)} The reply is JSON, with "${fieldOf(prompt)}".
    var prompt = http.send(HttpRequest.newBuilder(URI.create(url + ${literal(addressOf(prompt, target))}))
      .header("Authorization", "Bearer " + token).build(),
      HttpResponse.BodyHandlers.ofString());
    System.out.println(prompt.statusCode() + " " + prompt.body());
`
  },
}

/** Returns an object literal with a value for each name, valid in JavaScript and Python. */
const objectOf = (names: readonly string[], value: (name: string) => string): string =>
  names.length === 0 ? '{}' : `{ ${names.map((name) => `${literal(name)}: ${value(name)}`).join(', ')} }`

const mapOf = (names: readonly string[], value: (name: string) => string): string =>
  names.length === 0
    ? 'Map.of()'
    : `Map.ofEntries(${names.map((name) => `Map.entry(${literal(name)}, ${value(name)})`).join(', ')})`

const sampleOf = (name: string): string => literal(`<${name}>`)
const listsComment = ({ placeholders }: SnippetPrompt): string =>
  placeholders.length === 0 ? '' : ' Lists of messages replace the placeholders.'

/** Returns the lines that render the prompt with the SDK; without a chosen prompt a comment with an example. */
export const renderLines = {
  node: ({ prompt }: SnippetFor): string => {
    if (prompt === null)
      return `// What is published as greet, filled in: await client.render("greet", { name: "Ada" })`
    const { key, isChat, variables, placeholders } = prompt
    const values = objectOf(variables, sampleOf)
    if (!isChat)
      return `// The prompt, rendered.
console.log(await client.render(${literal(key)}, ${values}))`
    return `// The messages of the chat, rendered.${listsComment(prompt)}
console.log(await client.renderMessages(${literal(key)}, ${values}, ${objectOf(placeholders, () => '[]')}))`
  },
  python: ({ prompt }: SnippetFor): string => {
    if (prompt === null)
      return `# What is published as greet, filled in: client.render("greet", {"name": "Ada"})`
    const { key, isChat, variables, placeholders } = prompt
    const values = objectOf(variables, sampleOf)
    if (!isChat)
      return `# The prompt, rendered.
print(client.render(${literal(key)}, ${values}), flush=True)`
    return `# The messages of the chat, rendered.${listsComment(prompt)}
print(client.render_messages(${literal(key)}, ${values}, ${objectOf(placeholders, () => '[]')}), flush=True)`
  },
  java: ({ prompt }: SnippetFor): string => {
    if (prompt === null)
      return `// What is published as greet, filled in: client.render("greet", Map.of("name", "Ada"))`
    const { key, isChat, variables, placeholders } = prompt
    const values = mapOf(variables, sampleOf)
    if (!isChat)
      return `// The prompt, rendered.
    System.out.println(client.render(${literal(key)}, ${values}));`
    return `// The messages of the chat, rendered.${listsComment(prompt)}
    System.out.println(client.renderMessages(${literal(key)}, ${values},
      ${mapOf(placeholders, () => 'List.<Message>of()')}));`
  },
}
