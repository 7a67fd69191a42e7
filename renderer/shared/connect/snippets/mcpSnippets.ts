import { literal, type SnippetFor } from './promptLines.ts'
import { tokenVariable } from './snippets.ts'

type McpTarget = Omit<SnippetFor, 'prompt'>

/** Returns the MCP address, limited to a workspace and environment. It is URL-encoded, so it contains no quotes. */
function urlOf({ origin, workspace, env }: McpTarget): string {
  return `${origin}/mcp?${new URLSearchParams({ workspace, env })}`
}

const claudeCode = (target: McpTarget): string => `claude mcp add --transport http promptdeck \\
  "${urlOf(target)}" \\
  --header "Authorization: Bearer ${target.token ?? `$${tokenVariable}`}"
`

const codex = (target: McpTarget): string => `[mcp_servers.promptdeck]
url = ${literal(urlOf(target))}
${
  target.token === null
    ? `bearer_token_env_var = "${tokenVariable}"`
    : `http_headers = { Authorization = ${literal(`Bearer ${target.token}`)} }`
}
`

/** The id of the input with which VS Code asks for the token. VS Code stores the token. */
const inputId = 'promptdeck-token'
const inputs = [{ type: 'promptString', id: inputId, description: 'API token of Promptdeck', password: true }]

const vscode = (target: McpTarget): string =>
  json({
    ...(target.token === null && { inputs }),
    servers: { promptdeck: httpServer(target, `\${input:${inputId}}`) },
  })

const other = (target: McpTarget): string =>
  json({ mcpServers: { promptdeck: httpServer(target, `\${${tokenVariable}}`) } })

const httpServer = (target: McpTarget, token: string) => ({
  type: 'http',
  url: urlOf(target),
  headers: { Authorization: `Bearer ${target.token ?? token}` },
})

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** The configuration of MCP clients, in display order. */
export const mcpSnippets = { claude_code: claudeCode, codex, vscode, other } as const
export type McpClient = keyof typeof mcpSnippets
export const mcpClients = Object.keys(mcpSnippets) as McpClient[]
