import { beforeAll, describe, expect, it } from 'vitest'
import type { Scenario } from '../../support/scenario.ts'
import { make } from '../workflows/workflow-support.ts'
import { as, changedFrames, run, server, setUpService, watcher, wrong } from './agents-support.ts'

setUpService()

describe('creating', () => {
  const create = (name: string, body: unknown, rest: Partial<Scenario> & { status: number }): Scenario => ({
    name,
    call: 'POST /api/agents',
    token: as('editor'),
    body,
    ...rest,
  })
  it.each<Scenario>([
    create(
      'with its own text, and defaults for everything else',
      { key: 'greeter', content: 'Hi {{who}}' },
      {
        status: 201,
        reply: {
          data: {
            key: 'greeter',
            name: 'greeter',
            content: 'Hi {{who}}',
            prompt_key: null,
            env: 'prod',
            provider: 'mock',
            model: null,
            params: {},
            messages: [],
            tools: [],
            response_schema: null,
            version: 'v1',
            workspace_id: 'default',
            created_by: 'editor',
            etag: '"1"',
          },
        },
        audit: ['editor create agent greeter'],
        frames: changedFrames,
      },
    ),
    create(
      'with the key of a prompt',
      {
        key: 'answerer',
        prompt_key: 'answer',
        provider: 'openai',
        model: 'gpt-4o',
        params: { temperature: 0.2 },
      },
      {
        status: 201,
        reply: { data: { prompt_key: 'answer', content: null, provider: 'openai', model: 'gpt-4o' } },
        audit: ['editor create agent answerer'],
        frames: changedFrames,
      },
    ),
    create(
      'the same key in another workspace',
      { key: 'greeter', content: 'x', workspace_id: 'blue' },
      { status: 201, audit: ['editor create agent greeter'], frames: changedFrames },
    ),
    create(
      'a used key',
      { key: 'greeter', content: 'x' },
      {
        status: 409,
        reply: { code: 'agent.key_taken' },
        fields: ['key'],
      },
    ),
    create('neither text nor prompt', { key: 'n' }, wrong('content')),
    create('both', { key: 'n', content: 'x', prompt_key: 'answer' }, wrong('content')),
    create('an empty text', { key: 'n', content: ' ' }, wrong('content')),
    create('an unknown provider', { key: 'n', content: 'x', provider: 'nobody' }, wrong('provider')),
    create(
      'a mock behaviour of another provider',
      { key: 'n', content: 'x', provider: 'openai', params: { mock: {} } },
      wrong('params.mock'),
    ),
    create('an unknown parameter', { key: 'n', content: 'x', params: { heat: 1 } }, wrong('params.heat')),
    create(
      'a tool declared twice',
      {
        key: 'n',
        content: 'x',
        tools: [
          { name: 't', parameters: {} },
          { name: 't', parameters: {} },
        ],
      },
      wrong('tools.1.name'),
    ),
    create(
      'an unknown workspace',
      { key: 'n', content: 'x', workspace_id: 'nowhere' },
      wrong('workspace_id'),
    ),
    create('an unknown member', { key: 'n', content: 'x', prompt: 'y' }, wrong('prompt')),
    create('a bad key', { key: 'a//b', content: 'x' }, wrong('key')),
    create(
      'as a viewer',
      { key: 'n', content: 'x' },
      {
        status: 403,
        token: as('viewer'),
        reply: { required_role: 'editor' },
      },
    ),
  ])('$name', run)
})

describe('finding', () => {
  const keys = async (query: string): Promise<string[]> => {
    const reply = await server.call(`GET /api/agents?${query}`)
    return reply.body.data.map((agent: { key: string }) => agent.key)
  }
  beforeAll(async () => {
    await server.call('POST /api/workspaces', { body: { name: 'Find' } })
    for (const [key, more] of [
      ['f/one', { content: 'about zebras', provider: 'mock' }],
      ['f/two', { prompt_key: 'answer', provider: 'openai', model: 'gpt-4o' }],
      ['f/three', { content: 'x', provider: 'claude', name: 'Äpfel' }],
    ] as const)
      await make(server, '/api/agents', { key, workspace_id: 'find', ...more })
  })
  it.each([
    ['workspace=find', ['f/one', 'f/three', 'f/two']],
    ['workspace=find&sort=-key', ['f/two', 'f/three', 'f/one']],
    ['workspace=find&provider=openai&provider=claude', ['f/three', 'f/two']],
    ['prompt_key=answer&workspace=find', ['f/two']],
    ['q=zeb', ['f/one']],
    ['q=ÄPF', ['f/three']],
    ['q=gpt%204o&workspace=find', ['f/two']],
    ['workspace=find&limit=1&offset=1', ['f/three']],
    ['key=f/one', ['f/one']],
  ])('%s', async (query, found) => {
    expect(await keys(query)).toEqual(found)
  })
  it('pages by cursor, omits long fields, and refuses unknown parameters', async () => {
    const first = await server.call('GET /api/agents?workspace=find&limit=2&fields=summary')
    expect(first.body).toMatchObject({ total: 3 })
    expect(first.body.data[0]).not.toHaveProperty('content')
    const rest = await server.call(`GET /api/agents?workspace=find&limit=2&cursor=${first.body.next_cursor}`)
    expect(rest.body.data.map((agent: { key: string }) => agent.key)).toEqual(['f/two'])
    expect((await server.call('GET /api/agents?colour=red')).status).toBe(422)
  })
})

describe('import and export', () => {
  it.each(['json', 'yaml'])('exports as %s and imports the same', async (format) => {
    const source = `from-${format}`
    await server.call('POST /api/workspaces', { body: { name: source } })
    await make(server, '/api/agents', {
      key: 'x/own',
      content: 'Hi\n{{who}}: "yes"',
      workspace_id: source,
      messages: [{ role: 'user', content: 'a\n\nb' }],
      params: { stop: ['#'] },
    })
    await make(server, '/api/agents', {
      key: 'x/prompt',
      prompt_key: 'answer',
      provider: 'openai',
      workspace_id: source,
    })
    const { result: file, audit } = await watcher.during(() =>
      server.call(`GET /api/agents/export?format=${format}&workspace=${source}`),
    )
    expect(audit).toEqual(['service-token export agent'])
    const files = [{ name: `agents.${format}`, content: file.text }]
    const target = `to-${format}`
    await server.call('POST /api/workspaces', { body: { name: target } })
    const body = { files, workspace_id: target, prefix: 'in' }
    const preview = await server.call('POST /api/agents/import', { body: { ...body, preview: true } })
    expect(preview.body.data).toMatchObject({
      preview: true,
      created: 2,
      items: [
        { key: 'in/x/own', outcome: 'create', version: 'v1', notes: [] },
        { key: 'in/x/prompt', outcome: 'create', notes: [expect.stringContaining('answer')] },
      ],
    })
    expect((await server.call(`GET /api/agents?workspace=${target}`)).body.total).toBe(0)
    const { result, audit: imported } = await watcher.during(() =>
      server.call('POST /api/agents/import', { body }),
    )
    expect(result.body.data).toMatchObject({ created: 2, refused: 0 })
    expect(imported).toEqual([
      'service-token create agent in/x/own',
      'service-token create agent in/x/prompt',
    ])
    const [own] = (await server.call(`GET /api/agents?workspace=${target}`)).body.data
    expect(own).toMatchObject({
      content: 'Hi\n{{who}}: "yes"',
      messages: [{ role: 'user', content: 'a\n\nb' }],
      params: { stop: ['#'] },
    })
    const again = await server.call('POST /api/agents/import', { body })
    expect(again.body.data).toMatchObject({ created: 0, unchanged: 2 })
  })
  it('refuses the whole import because of one item, and names each reason', async () => {
    const content = JSON.stringify([
      { key: 'i/good', content: 'x' },
      { key: 'i/bad' },
      { key: 'i/worse', content: 'x', provider: 'nobody' },
    ])
    const reply = await server.call('POST /api/agents/import', {
      body: { files: [{ name: 'a.json', content }] },
    })
    expect(reply.status).toBe(422)
    expect(reply.body.errors.map((error: { path: string }) => error.path)).toEqual([
      'files.0.1.content',
      'files.0.2.provider',
    ])
    expect((await server.call('GET /api/agents?key=i/good')).body.total).toBe(0)
  })
  it('reports a refused item under the key that it would have', async () => {
    const content = JSON.stringify({ key: 'worse', content: 'x', provider: 'nobody' })
    const body = { files: [{ name: 'a.json', content }], prefix: 'in/there', preview: true }
    const { data } = (await server.call('POST /api/agents/import', { body })).body
    expect(data.items).toMatchObject([{ outcome: 'refuse', key: 'in/there/worse' }])
  })
  it.each([
    ['not JSON', 'a.json', '{'],
    ['JSON without agents', 'a.json', '"text"'],
    ['not YAML', 'a.yaml', 'a: [b'],
  ])('refuses a file that is %s', async (_name, name, content) => {
    const reply = await server.call('POST /api/agents/import', { body: { files: [{ name, content }] } })
    expect(reply.body.errors.map((error: { path: string }) => error.path)).toEqual(['files.0.content'])
  })
  it('updates, skips or refuses existing items', async () => {
    await make(server, '/api/agents', { key: 'i/there', content: 'one' })
    const files = [{ name: 'a.json', content: '{"key":"i/there","content":"two"}' }]
    const importing = (existing: string) =>
      server.call('POST /api/agents/import', { body: { files, existing } })
    expect((await importing('skip')).body.data).toMatchObject({ skipped: 1 })
    expect((await importing('refuse')).status).toBe(422)
    expect((await importing('update')).body.data).toMatchObject({
      updated: 1,
      items: [{ changes: ['content'], version: 'v2' }],
    })
  })
})
