import { gatewayHeaders } from '../../../../contract/gateway/gateway.ts'
import { literal, type SnippetFor } from './promptLines.ts'
import { tokenVariable } from './snippets.ts'

/** The headers that place the runs. Keys may have characters that headers do not allow. */
function headersOf({ env, workspace, prompt }: SnippetFor): readonly (readonly [string, string])[] {
  return [
    [gatewayHeaders.workspace, workspace],
    [gatewayHeaders.env, env],
    ...(prompt === null ? [] : [[gatewayHeaders.prompt, encodeURIComponent(prompt.key)] as const]),
  ]
}

/** Returns the headers as an object literal, which JavaScript and Python read alike. */
const object = (target: SnippetFor): string =>
  `{ ${headersOf(target)
    .map(([name, value]) => `${literal(name)}: ${literal(value)}`)
    .join(', ')} }`

const base = ({ origin }: SnippetFor, path: string): string => literal(`${origin}/gateway/${path}`)
const nodeToken = ({ token }: SnippetFor): string =>
  token === null ? `process.env.${tokenVariable}` : literal(token)
const pythonToken = ({ token }: SnippetFor): string =>
  token === null ? `os.environ["${tokenVariable}"]` : literal(token)
const shellToken = ({ token }: SnippetFor): string => token ?? `$${tokenVariable}`

const openaiNode = (target: SnippetFor): string => `import OpenAI from "openai" // npm install openai

const client = new OpenAI({
  baseURL: ${base(target, 'openai/v1')},
  apiKey: ${nodeToken(target)},
  defaultHeaders: ${object(target)},
})
const reply = await client.chat.completions.create({
  model: "mock-small",
  messages: [{ role: "user", content: "Hello" }],
})
console.log(reply.choices[0].message.content)
`

const openaiPython = (target: SnippetFor): string => `import os
from openai import OpenAI  # pip install openai

client = OpenAI(
  base_url=${base(target, 'openai/v1')},
  api_key=${pythonToken(target)},
  default_headers=${object(target)},
)
reply = client.chat.completions.create(
  model="mock-small",
  messages=[{"role": "user", "content": "Hello"}],
)
print(reply.choices[0].message.content)
`

const anthropicNode = (
  target: SnippetFor,
): string => `import Anthropic from "@anthropic-ai/sdk" // npm install @anthropic-ai/sdk

const client = new Anthropic({
  baseURL: ${base(target, 'anthropic')},
  apiKey: ${nodeToken(target)},
  defaultHeaders: ${object(target)},
})
const reply = await client.messages.create({
  model: "claude-haiku-4-5",
  max_tokens: 200,
  messages: [{ role: "user", content: "Hello" }],
})
console.log(reply.content)
`

const anthropicPython = (target: SnippetFor): string => `import os
from anthropic import Anthropic  # pip install anthropic

client = Anthropic(
  base_url=${base(target, 'anthropic')},
  api_key=${pythonToken(target)},
  default_headers=${object(target)},
)
reply = client.messages.create(
  model="claude-haiku-4-5",
  max_tokens=200,
  messages=[{"role": "user", "content": "Hello"}],
)
print(reply.content)
`

const googleNode = (
  target: SnippetFor,
): string => `import { GoogleGenAI } from "@google/genai" // npm install @google/genai

const client = new GoogleGenAI({
  apiKey: ${nodeToken(target)},
  httpOptions: {
    baseUrl: ${base(target, 'gemini')},
    headers: ${object(target)},
  },
})
const reply = await client.models.generateContent({ model: "gemini-2.5-flash", contents: "Hello" })
console.log(reply.text)
`

const googlePython = (target: SnippetFor): string => `import os
from google import genai  # pip install google-genai

client = genai.Client(
  api_key=${pythonToken(target)},
  http_options={
    "base_url": ${base(target, 'gemini')},
    "headers": ${object(target)},
  },
)
reply = client.models.generate_content(model="gemini-2.5-flash", contents="Hello")
print(reply.text)
`

const ollamaPython = (target: SnippetFor): string => `import os
from ollama import Client  # pip install ollama

client = Client(
  host=${base(target, 'ollama')},
  headers={"Authorization": "Bearer " + ${pythonToken(target)}, **${object(target)}},
)
reply = client.chat(model="llama3.2", messages=[{"role": "user", "content": "Hello"}])
print(reply.message.content)
`

const langchain = (target: SnippetFor): string => `import os
from langchain_openai import ChatOpenAI  # pip install langchain-openai

model = ChatOpenAI(
  model="mock-small",
  base_url=${base(target, 'openai/v1')},
  api_key=${pythonToken(target)},
  default_headers=${object(target)},
)
print(model.invoke("Hello").content)
`

const aiSdk = (
  target: SnippetFor,
): string => `import { createOpenAI } from "@ai-sdk/openai" // npm install ai @ai-sdk/openai
import { generateText } from "ai"

const provider = createOpenAI({
  baseURL: ${base(target, 'openai/v1')},
  apiKey: ${nodeToken(target)},
  headers: ${object(target)},
})
const { text } = await generateText({ model: provider.chat("mock-small"), prompt: "Hello" })
console.log(text)
`

const claudeCode = (target: SnippetFor): string => `export ANTHROPIC_BASE_URL=${base(target, 'anthropic')}
export ANTHROPIC_AUTH_TOKEN="${shellToken(target)}"
export ANTHROPIC_CUSTOM_HEADERS="${headersOf(target)
  .map(([name, value]) => `${name}: ${value}`)
  .join('\n')}"
claude
`

const codex = (
  target: SnippetFor,
): string => `# In the shell: export ${tokenVariable}=${target.token === null ? '…' : literal(target.token)}
# ~/.codex/config.toml
model_provider = "promptdeck"

[model_providers.promptdeck]
name = "Promptdeck"
base_url = ${base(target, 'openai/v1')}
env_key = "${tokenVariable}"
wire_api = "responses"
http_headers = ${object(target).replaceAll('": "', '" = "')}
`

/** VS Code keeps the token: it asks for it when the model is added. */
const vscode = (
  target: SnippetFor,
): string => `// VS Code 1.122 or newer: "Chat: Manage Language Models" > Add > Custom Endpoint, with the token as its key.
// Then the file chatLanguageModels.json, in the entry that it added:
{
  "name": "Promptdeck",
  "vendor": "customendpoint",
  "apiType": "chat-completions",
  "models": [
    {
      "id": "gpt-4o-mini",
      "name": "gpt-4o-mini through Promptdeck",
      "url": ${base(target, 'openai/v1/chat/completions')},
      "toolCalling": true,
      "vision": true,
      "maxInputTokens": 100000,
      "maxOutputTokens": 16000
    }
  ]
}
`

const gatewayCurl = (
  target: SnippetFor,
): string => `curl ${target.origin}/gateway/openai/v1/chat/completions \\
  -H "Authorization: Bearer ${shellToken(target)}" \\
  -H "Content-Type: application/json" \\
${headersOf(target)
  .map(([name, value]) => `  -H ${literal(`${name}: ${value}`)} \\\n`)
  .join('')}  -d '{"model": "mock-small", "messages": [{"role": "user", "content": "Hello"}]}'
`

/** Programs of other clients that call models through the gateway, in display order. */
export const gatewaySnippets = {
  curl: gatewayCurl,
  openai_node: openaiNode,
  openai_python: openaiPython,
  anthropic_node: anthropicNode,
  anthropic_python: anthropicPython,
  google_node: googleNode,
  google_python: googlePython,
  ollama_python: ollamaPython,
  langchain,
  ai_sdk: aiSdk,
  claude_code: claudeCode,
  codex,
  vscode,
} as const
export type GatewayClient = keyof typeof gatewaySnippets
export const gatewayClients = Object.keys(gatewaySnippets) as GatewayClient[]
