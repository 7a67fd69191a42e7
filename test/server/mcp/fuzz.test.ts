import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { server, setUpService } from '../file-service.ts'
import { createToken, toolNames } from './mcp-support.ts'

/** Number of messages; more with MCP_FUZZ. */
const messageCount = Number(process.env['MCP_FUZZ'] ?? 1000)
const parallel = 20

let token = ''
let session = ''
let promptId = ''

setUpService(async () => {
  const body = { key: 'fuzz/target', env: 'prod', content: 'Hello {{who}}', variables: ['who'] }
  promptId = (await server.call('POST /api/prompts', { body })).body.data.id
  // An editor: its token could publish and delete over the API.
  token = (await createToken(server, { role: 'editor' })).token
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'fuzz', version: '1' },
  }
  const reply = await server.call('POST /mcp', {
    token,
    body: { jsonrpc: '2.0', id: 0, method: 'initialize', params },
  })
  session = reply.headers.get('mcp-session-id') ?? ''
})

const methods = [
  'initialize',
  'ping',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'tools/list',
  'tools/call',
  'completion/complete',
  'logging/setLevel',
  'tasks/list',
  'tasks/cancel',
  'notifications/cancelled',
  'notifications/initialized',
  'sampling/createMessage',
  'prompts/publish',
  '__proto__',
  'constructor',
]
const tools = [...toolNames, 'publish_prompt', 'delete_prompt', 'toString']
const names = [
  'default/prod/fuzz/target',
  'fuzz/target',
  '',
  '/',
  '../..',
  'default//x',
  '\u0000',
  'a'.repeat(300),
]
const uris = [
  'promptdeck://run/1',
  'promptdeck://prompt/default/prod/fuzz%2Ftarget/v1',
  'promptdeck://prompt/default/prod/%E0%A4/draft',
  'file:///etc/passwd',
  'http://169.254.169.254/',
]
/** Fields with which API routes publish, protect, or write outside a draft. */
const forbiddenFields = { draft: false, version: 'v9', publish: true, api_key: 'x', workspace_id: 'other' }

const json = fc.jsonValue({ maxDepth: 4 })
const value = fc.oneof(
  json,
  fc.string({ maxLength: 50 }),
  fc.constantFrom(promptId, 'v1', 'draft', -1, 1e308),
)
const toolArguments = fc.oneof(
  fc.dictionary(
    fc.constantFrom('id', 'content', 'key', 'env', 'from', 'to', 'q', 'variables', 'limit'),
    value,
  ),
  fc.record({ key: fc.string(), content: fc.string(), ...mapValues(forbiddenFields) }, { requiredKeys: [] }),
  fc.record({ id: fc.constant('PROMPT'), content: fc.string(), version: fc.constant('v2') }),
)
const params = fc.oneof(
  fc.record({ name: fc.constantFrom(...tools), arguments: toolArguments }),
  fc.record({ name: fc.constantFrom(...names), arguments: fc.dictionary(fc.string(), value) }),
  fc.record({ uri: fc.oneof(fc.constantFrom(...uris), fc.webUrl(), fc.string()) }),
  fc.record({ cursor: fc.oneof(fc.string(), fc.base64String()) }),
  fc.record({ requestId: fc.oneof(fc.integer(), fc.string(), json) }),
  json,
)
const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, json),
    id: fc.oneof(fc.integer(), fc.string({ maxLength: 20 }), json),
    method: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...methods) }, fc.string()),
    params,
    result: json,
  },
  { requiredKeys: ['jsonrpc'] },
)
const messages = fc.oneof(
  { weight: 12, arbitrary: message },
  { weight: 1, arbitrary: fc.array(message, { maxLength: 5 }) },
  { weight: 1, arbitrary: json },
)

function mapValues(fields: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, fc.constant(each)]))
}

/** The state that no MCP message may change: served prompts, accounts, settings, number of published prompts. */
async function protectedState() {
  const read = async (path: string) => (await server.call(`GET ${path}`)).body
  const prompts = (await read('/api/prompts?limit=200')).data as Record<string, unknown>[]
  const audit = (await read('/api/audit?limit=200&from=2000-01-01T00:00:00Z')).data as Record<
    string,
    unknown
  >[]
  return {
    served: prompts.filter(({ served }) => served !== null).map(({ key, served }) => ({ key, served })),
    deleted: (await read('/api/prompts?include=deleted')).total,
    workspaces: (await read('/api/workspaces')).total,
    users: (await read('/api/users')).data,
    tokens: (await read('/api/tokens')).total,
    settings: await read('/api/settings'),
    providers: (await read('/api/providers')).data.map(({ name, key }: Record<string, unknown>) => [
      name,
      key,
    ]),
    actions: [...new Set(audit.map(({ action, resource }) => `${resource} ${action}`))].toSorted(),
  }
}

const statuses = new Set([200, 202, 400, 404, 413, 422])

describe('generated messages', () => {
  it(`change nothing but drafts, in ${messageCount} messages`, { timeout: 300_000 }, async () => {
    // A draft of the token itself, so that the actions before and after are comparable.
    await server.call('POST /api/prompts', { token, body: { key: 'own', content: 'x', draft: true } })
    await server.call(`PATCH /api/prompts/${promptId}`, { token, body: { content: 'draft' } })
    const before = await protectedState()
    const seed = Number(process.env['MCP_FUZZ_SEED'] ?? Date.now() % 2 ** 31)
    const generated = fc.sample(messages, { numRuns: messageCount, seed })
    const answers = new Map<number, number>()
    for (let from = 0; from < generated.length; from += parallel) {
      const sent = generated.slice(from, from + parallel).map(async (each) => {
        const raw = JSON.stringify(each).replaceAll('"PROMPT"', JSON.stringify(promptId))
        const reply = await server.call('POST /mcp', { token, raw, headers: { 'mcp-session-id': session } })
        answers.set(reply.status, (answers.get(reply.status) ?? 0) + 1)
        expect(statuses, `MCP_FUZZ_SEED=${seed}: ${raw.slice(0, 500)} → ${reply.text}`).toContain(
          reply.status,
        )
        // JSON-RPC -32603 is an internal error.
        expect(reply.text, `MCP_FUZZ_SEED=${seed}: ${raw.slice(0, 500)}`).not.toContain('"code":-32603')
      })
      await Promise.all(sent)
    }
    expect(await protectedState()).toEqual(before)
    // Both valid and invalid messages took part.
    for (const status of [200, 202, 400, 422])
      expect(answers.get(status) ?? 0, String(status)).toBeGreaterThan(10)
    const listing = { jsonrpc: '2.0', id: 1, method: 'prompts/list' }
    const { text } = await server.call('POST /mcp', {
      token,
      body: listing,
      headers: { 'mcp-session-id': session },
    })
    expect(text).toContain('fuzz/target')
  })
})
