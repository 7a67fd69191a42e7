import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { admin, greetId, names, post, server, setUpService } from './mcp-service.ts'
import { callTool, connect, failTool, toolNames } from './mcp-support.ts'

setUpService()

describe('the official client over HTTP', () => {
  it('uses the newest revision', () => {
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
    await expect(connect(server, { query: '?workspace=nothing' })).rejects.toThrow('Workspace not found')
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
    const failed = await failTool(admin.client, 'search_runs', { nonsense: 1 })
    expect(failed).toBe('request.invalid: nonsense: Unknown parameter')
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

describe('many workspaces', () => {
  it('are all listed', async () => {
    const many = Array.from({ length: 205 }, (_, index) => `W ${1000 + index}`)
    await Promise.all(many.map((name) => post('/api/workspaces', { name })))
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
