import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { type Connected, callTool, connect, createToken, failTool, toolNames } from './mcp-support.ts'

let server: TestServer
let admin: Connected
/** The id of `billing/greet` in prod of `default`, which is served as v2 and has a draft. */
let greetId: string

const post = async (path: string, body: object) => {
  const reply = await server.call(`POST ${path}`, { body })
  expect(reply.status, reply.text).toBeLessThan(300)
  return reply.body.data
}

beforeAll(async () => {
  server = await startTestServer()
  await post('/api/workspaces', { name: 'Hidden', slug: 'hidden', capture: 'off' })
  const variables = [
    { name: 'who', required: true, description: 'The person' },
    { name: 'tone', default: 'kind' },
  ]
  const greet = { key: 'billing/greet', env: 'prod', content: 'Hello {{who}}', variables }
  greetId = (await post('/api/prompts', greet)).id
  await server.call(`PATCH /api/prompts/${greetId}`, { body: { content: 'Hello {{who}}, {{tone}}' } })
  await post(`/api/prompts/${greetId}/publish`, {})
  await server.call(`PATCH /api/prompts/${greetId}`, { body: { content: 'a draft' } })
  const messages = [
    { role: 'system', content: 'Be {{tone}}' },
    { placeholder: 'history' },
    { role: 'assistant', content: 'Ready' },
    { role: 'user', content: '{{question}}' },
  ]
  await post('/api/prompts', { key: 'chat', env: 'dev', messages })
  await post('/api/prompts', { key: 'secret', env: 'prod', content: 'hidden text', workspace_id: 'hidden' })
  await post('/api/prompts', { key: 'unpublished', env: 'prod', content: 'x', draft: true })
  admin = await connect(server)
})
afterAll(async () => {
  await admin.client.close()
  await server.close()
})

const names = async ({ client }: Connected) => (await client.listPrompts()).prompts.map(({ name }) => name)

describe('the official client over HTTP', () => {
  it('speaks the newest revision', () => {
    expect(admin.transport.protocolVersion).toBe(LATEST_PROTOCOL_VERSION)
    expect(LATEST_PROTOCOL_VERSION >= '2025-11-25').toBe(true)
    expect(admin.client.getServerVersion()).toMatchObject({ name: 'promptdeck' })
  })

  it('lists published prompts with their arguments, in all workspaces and environments of the token', async () => {
    const { prompts } = await admin.client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual([
      'default/dev/chat',
      'default/prod/billing/greet',
      'hidden/prod/secret',
    ])
    expect(prompts[1]?.arguments).toEqual([
      { name: 'who', description: 'The person', required: true },
      { name: 'tone', required: false },
    ])
  })

  it('gets a text prompt, with defaults and includes replaced', async () => {
    const prompt = { name: 'default/prod/billing/greet', arguments: { who: 'Ada' } }
    expect((await admin.client.getPrompt(prompt)).messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Hello Ada, kind' } },
    ])
    await expect(admin.client.getPrompt({ ...prompt, arguments: {} })).rejects.toThrow(/missing: who/)
    await expect(admin.client.getPrompt({ name: 'default/prod/nothing' })).rejects.toMatchObject({
      code: -32602,
    })
  })

  it('gets a chat prompt as messages', async () => {
    const values = { tone: 'brief', question: 'Why?' }
    const { messages } = await admin.client.getPrompt({ name: 'default/dev/chat', arguments: values })
    expect(messages.map(({ role, content }) => [role, content.type === 'text' && content.text])).toEqual([
      ['user', 'Be brief'],
      ['assistant', 'Ready'],
      ['user', 'Why?'],
    ])
  })

  it('omits from names what the address of the connection fixes', async () => {
    const one = await connect(server, { query: '?workspace=default&env=prod' })
    expect(await names(one)).toEqual(['billing/greet'])
    expect(
      (await one.client.getPrompt({ name: 'billing/greet', arguments: { who: 'B' } })).messages,
    ).toHaveLength(1)
    await one.client.close()
    const unknown = await connect(server, { query: '?workspace=nothing' })
    await expect(unknown.client.listPrompts()).rejects.toThrow('Workspace not found')
    await unknown.client.close()
  })

  it('reads resources: a run, and versions of a prompt', async () => {
    const { client } = admin
    const { run } = await callTool(client, 'run_prompt', { content: 'hi', provider: 'mock' })
    const templates = (await client.listResourceTemplates()).resourceTemplates.map(({ name }) => name)
    expect(templates).toEqual(['run', 'prompt-version'])
    const uris = (await client.listResources()).resources.map(({ uri }) => uri)
    const uri = 'promptdeck://prompt/default/prod/billing%2Fgreet/v2'
    expect(uris).toContain(uri)
    const read = async (each: string) => {
      const [content] = (await client.readResource({ uri: each })).contents
      return JSON.parse(content !== undefined && 'text' in content ? content.text : '')
    }
    expect(await read(uri)).toMatchObject({ version: 'v2', content: 'Hello {{who}}, {{tone}}' })
    expect(await read(uri.replace('v2', 'v1'))).toMatchObject({ content: 'Hello {{who}}' })
    expect(await read(uri.replace('v2', 'draft'))).toMatchObject({ content: 'a draft' })
    expect(await read(`promptdeck://run/${run.id}`)).toMatchObject({ id: run.id, source: 'playground' })
    for (const missing of ['promptdeck://run/999', uri.replace('v2', 'v9'), 'file:///etc/passwd'])
      await expect(client.readResource({ uri: missing })).rejects.toMatchObject({ code: -32002 })
  })

  it('runs prompts on the mock provider, searches runs, and reads statistics and differences', async () => {
    const { client } = admin
    const args = { id: greetId, version: 'v2', variables: { who: 'Eve' }, provider: 'mock' }
    const { result, run } = await callTool(client, 'run_prompt', args)
    expect(result.output).toContain('Hello Eve, kind')
    expect(run).toMatchObject({ metadata: { mcp_client: 'test-client 1.2.3' }, ref_key: 'billing/greet' })
    const { data } = await callTool(client, 'search_runs', { ref_key: 'billing/greet', limit: 5 })
    expect(data.map(({ id }: { id: number }) => id)).toEqual([run.id])
    const stats = await callTool(client, 'run_statistics', { group_by: ['ref_key'], workspace: 'default' })
    expect(stats.groups).toContainEqual(expect.objectContaining({ ref_key: 'billing/greet', count: 1 }))
    expect(stats.series).toBeUndefined()
    const diff = await callTool(client, 'diff_prompt_versions', { id: greetId, from: 'v1', to: 'v2' })
    expect(diff).toMatchObject({ from: 'v1', to: 'v2', identical: false })
    expect(await failTool(client, 'run_prompt', { content: 'x', provider: 'openai' })).toMatch(/openai/i)
  })

  it('writes drafts, and audits them with the name and version of the client', async () => {
    const { client } = admin
    const created = await callTool(client, 'create_draft', { key: 'from/mcp', content: 'Hi {{x}}' })
    expect(created).toMatchObject({ version: null, served: null, has_draft: true, env: 'dev' })
    const change = { id: created.id, etag: created.etag, content: 'Hi {{y}}' }
    expect(await callTool(client, 'update_draft', change)).toMatchObject({
      version: null,
      content: 'Hi {{y}}',
    })
    expect(await failTool(client, 'update_draft', change)).toContain('precondition.failed')
    expect(await failTool(client, 'create_draft', { key: 'x', content: 'y', draft: false })).toContain(
      'draft',
    )
    const entries = (await server.call('GET /api/audit?key=from/mcp')).body.data
    expect(entries.map(({ action, summary }: Record<string, string>) => [action, summary])).toEqual([
      ['update', expect.stringMatching(/\(MCP client test-client 1\.2\.3\)$/)],
      ['create', expect.stringMatching(/\(MCP client test-client 1\.2\.3\)$/)],
    ])
  })

  it('reports wrong arguments to the model, and an unknown tool to the client', async () => {
    expect(await failTool(admin.client, 'search_runs', { nonsense: 1 })).toContain('nonsense')
    expect(await failTool(admin.client, 'search_runs', { from: 'yesterday' })).toContain('query.from')
    await expect(admin.client.callTool({ name: 'publish_prompt', arguments: {} })).rejects.toThrow(
      'Unknown tool',
    )
  })

  it('offers no tool that publishes, deletes or reads secrets', async () => {
    const { tools } = await admin.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(toolNames)
    for (const { inputSchema } of tools)
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
  })

  it('respects capture', async () => {
    const run = { content: 'a captured text', workspace: 'hidden', provider: 'mock' }
    const { run: logged } = await callTool(admin.client, 'run_prompt', run)
    expect(await callTool(admin.client, 'get_run', { id: logged.id })).toMatchObject({
      input: null,
      output: null,
    })
  })
})

describe('the rights of the token', () => {
  it('limit a viewer to reading and running', async () => {
    const { token } = await createToken(server, { role: 'viewer' })
    const { client } = await connect(server, { token })
    const offered = (await client.listTools()).tools.map(({ name }) => name)
    expect(offered).toContain('run_prompt')
    expect(offered).not.toContain('create_draft')
    expect(await failTool(client, 'create_draft', { key: 'no', content: 'x' })).toContain('auth.forbidden')
    await client.close()
  })

  it('limit a member to the workspaces of its list', async () => {
    const { token } = await createToken(server, {
      access: 'listed',
      memberships: [{ workspace_id: 'default', role: 'editor' }],
    })
    const member = await connect(server, { token })
    expect(await names(member)).toEqual(['default/dev/chat', 'default/prod/billing/greet'])
    await expect(member.client.getPrompt({ name: 'hidden/prod/secret' })).rejects.toThrow()
    const found = await callTool(member.client, 'search_prompts', { workspace: 'hidden' })
    expect(found.data).toEqual([])
    expect(
      await failTool(member.client, 'create_draft', { key: 'no', content: 'x', workspace: 'hidden' }),
    ).toContain('Workspace not found')
    await member.client.close()
  })

  it('limit the token of an app to the prompts of its place', async () => {
    const { token } = await createToken(server, { workspace: 'default', namespaces: ['prod'] })
    const app = await connect(server, { token })
    expect(await names(app)).toEqual(['billing/greet'])
    expect((await app.client.listTools()).tools).toEqual([])
    expect(await failTool(app.client, 'search_runs')).toContain('auth.forbidden')
    const { resources } = await app.client.listResources()
    const [resource] = resources
    expect((await app.client.readResource({ uri: resource?.uri ?? '' })).contents).toHaveLength(1)
    await expect(app.client.readResource({ uri: 'promptdeck://run/1' })).rejects.toThrow()
    await app.client.close()
  })
})

describe('notifications', () => {
  it('announce publish, roll-back and deletion of prompts that the token may read, and nothing else', async () => {
    const { token } = await createToken(server, { workspace: 'default', namespaces: ['test'] })
    const app = await connect(server, { token })
    // The first one comes with the stream, because an earlier change may be unknown.
    await app.changedSince(0)
    const during = async (work: () => Promise<unknown>): Promise<void> => {
      const before = app.changes()
      await work()
      await app.changedSince(before)
    }
    let id = ''
    await during(async () => {
      id = (await post('/api/prompts', { key: 'news', env: 'test', content: 'one' })).id
    })
    expect(await names(app)).toEqual(['news'])
    await server.call(`PATCH /api/prompts/${id}`, { body: { content: 'two' } })
    const quiet = app.changes()
    await post('/api/prompts', { key: 'news', env: 'prod', content: 'elsewhere' })
    await post('/api/prompts', { key: 'news', env: 'test', content: 'elsewhere', workspace_id: 'hidden' })
    await during(() => post(`/api/prompts/${id}/publish`, {}))
    expect(app.changes()).toBe(quiet + 1)
    await during(() => post(`/api/prompts/${id}/rollback`, { version: 'v1' }))
    await during(() => server.call(`DELETE /api/prompts/${id}`))
    expect(await names(app)).toEqual([])
    await app.client.close()
  })
})

describe('a session', () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  }
  const raw = (body: unknown, headers: Record<string, string> = {}, token?: string) =>
    server.call('POST /mcp', { body, headers, ...(token !== undefined && { token }) })
  const sessionOf = async (token?: string) =>
    (await raw(initialize, {}, token)).headers.get('mcp-session-id') ?? ''
  const list = { jsonrpc: '2.0', id: 'a', method: 'prompts/list' }

  it('survives a restart, and is valid for its principal only', async () => {
    const session = { 'mcp-session-id': await sessionOf() }
    await admin.client.close()
    await server.restart()
    admin = await connect(server)
    const reply = await raw(list, session)
    expect(reply).toMatchObject({ status: 200 })
    expect(reply.text).toContain('billing/greet')
    const { token } = await createToken(server, { role: 'admin' })
    expect(await raw(list, session, token)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    expect(await raw(list, { 'mcp-session-id': `${session['mcp-session-id']}x` })).toMatchObject({
      status: 404,
    })
    expect(await raw(list)).toMatchObject({ status: 400, body: { code: 'request.malformed' } })
  })

  it('ends with its token: requests are refused and the stream is closed', async () => {
    const { id, token } = await createToken(server, { role: 'viewer' })
    const session = { 'mcp-session-id': await sessionOf(token) }
    const stream = await fetch(`${server.url}/mcp`, {
      headers: { authorization: `Bearer ${token}`, ...session, accept: 'text/event-stream' },
    })
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    const reader = stream.body?.getReader()
    const first = await reader?.read()
    expect(new TextDecoder().decode(first?.value)).toContain('list_changed')
    expect((await server.call(`DELETE /api/tokens/${id}`)).status).toBe(200)
    // Resolves at the end of the stream.
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read());
    expect(await raw(list, session, token)).toMatchObject({ status: 401 })
  })

  /** Sends a tool call that takes a minute. Returns the text of the reply when it has ended. */
  const runSlowly = async (token: string, sessionId: string): Promise<string> => {
    const args = { content: 'slow', params: { mock: { first_token_ms: 60_000 } } }
    const params = { name: 'run_prompt', arguments: args }
    const body = { jsonrpc: '2.0', id: 'slow', method: 'tools/call', params }
    return (await raw(body, { 'mcp-session-id': sessionId }, token)).text
  }
  const cancelledRuns = async (): Promise<number> =>
    (await server.call('GET /api/runs?error_type=cancelled')).body.total

  it('cancels a request, and with the end of its token also a model call', async () => {
    const { id, token } = await createToken(server, { role: 'viewer' })
    const sessionId = await sessionOf(token)
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'slow' } }
    const ends = [
      () => raw(cancel, { 'mcp-session-id': sessionId }, token),
      () => server.call(`DELETE /api/tokens/${id}`),
    ]
    for (const [index, end] of ends.entries()) {
      const running = runSlowly(token, sessionId)
      await expect
        .poll(async () => (await server.call('GET /metrics')).text)
        .toMatch(/^promptdeck_provider_calls 1$/m)
      expect((await end()).status).toBeLessThan(300)
      // The reply ends without a result.
      expect(await running).toBe('')
      await expect.poll(cancelledRuns).toBe(index + 1)
    }
  })

  it('rejects what is no message: batches, wrong types, deep or large bodies', async () => {
    const session = { 'mcp-session-id': await sessionOf() }
    const refused = async (body: unknown, status: number) =>
      expect(await raw(body, session), JSON.stringify(body).slice(0, 100)).toMatchObject({ status })
    await refused([list, list], 422)
    await refused({ ...list, jsonrpc: '1.0' }, 422)
    await refused({ ...list, id: null }, 422)
    await refused({ ...list, id: 1.5 }, 422)
    await refused({ ...list, id: 'x'.repeat(300) }, 422)
    await refused({ ...list, unknown_member: 1 }, 400)
    await refused({ ...list, params: 'text' }, 400)
    await refused({ ...list, params: { cursor: 'x'.repeat(2 ** 20) } }, 413)
    const deep = JSON.parse(`${'{"a":'.repeat(80)}1${'}'.repeat(80)}`)
    await refused({ ...list, params: deep }, 422)
    expect((await raw(list, { ...session, 'mcp-protocol-version': '1999-01-01' })).status).toBe(400)
    expect((await raw({ ...list, method: 'tools/unknown' }, session)).text).toContain('-32601')
    expect((await raw({ jsonrpc: '2.0', method: 'notifications/unknown' }, session)).status).toBe(202)
    expect((await server.call('DELETE /mcp', { headers: session })).headers.get('allow')).toContain('POST')
    expect((await raw(list, { ...session, origin: 'https://evil.example' })).status).toBe(403)
  })
})

describe('many workspaces', () => {
  it('are all listed', async () => {
    for (let index = 0; index < 205; index += 1) await post('/api/workspaces', { name: `W ${1000 + index}` })
    await post('/api/workspaces', { name: 'Zz', slug: 'zz' })
    await post('/api/prompts', { key: 'last', env: 'prod', content: 'x', workspace_id: 'zz' })
    const found: string[] = []
    let cursor: string | undefined
    do {
      const page = await admin.client.listPrompts({ cursor })
      found.push(...page.prompts.map(({ name }) => name))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    expect(found).toContain('zz/prod/last')
    const pinned = await connect(server, { query: '?workspace=zz' })
    expect(await names(pinned)).toEqual(['prod/last'])
    await pinned.client.close()
  })
})
