import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Scenario, type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { makePrompt } from '../prompts/prompts-support.ts'
import { make, streamed } from '../workflows/workflow-support.ts'

let server: TestServer
let watcher: Watcher
const tokens: Record<string, string> = {}
const ids: Record<string, string> = {}

beforeAll(async () => {
  server = await startTestServer()
  for (const role of ['viewer', 'editor'] as const) tokens[role] = (await server.signedIn(role, role)).token
  await server.call('POST /api/workspaces', { body: { name: 'Blue' } })
  await makePrompt(server, {
    key: 'answer',
    env: 'prod',
    content: 'Answer {{question}} in {{language}}',
    variables: [
      { name: 'question', required: true },
      { name: 'language', default: 'English' },
    ],
  })
  await makePrompt(server, { key: 'draft-only', env: 'prod', draft: true, content: 'x' })
  watcher = await watch(server)
})
afterAll(async () => {
  await watcher.close()
  await server.close()
})

const as = (role: string) => () => tokens[role] ?? null
const changedFrames = ['agent', 'audit']
const wrong = (...fields: string[]) => ({ status: 422, reply: { code: 'request.invalid' }, fields })
const run = (scenario: Scenario) => watcher.run(scenario)

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

describe('changing', () => {
  beforeAll(async () => {
    ids['a'] = (
      await make(server, '/api/agents', {
        key: 'a',
        content: 'one',
        messages: [{ role: 'system', content: 'Be brief' }],
      })
    ).id
  })
  const path = (rest = '') => `/api/agents/${ids['a']}${rest}`
  const change = (name: string, body: unknown, rest: Partial<Scenario> & { status: number }): Scenario => ({
    name,
    call: () => `PATCH ${path()}`,
    token: as('editor'),
    body,
    ...rest,
  })
  const changed = { status: 200, audit: ['editor update agent a'], frames: changedFrames }
  it.each<Scenario>([
    change(
      'name and description apply without a new version',
      { name: 'An agent', description: 'd' },
      { ...changed, reply: { data: { name: 'An agent', version: 'v1', etag: '"2"' } } },
    ),
    change(
      'an empty change leaves no entry and no version',
      { name: 'An agent', content: 'one' },
      { status: 200, reply: { data: { version: 'v1', etag: '"2"' } } },
    ),
    change(
      'a changed text creates the next version',
      { content: 'two', message: 'better' },
      { ...changed, reply: { data: { content: 'two', version: 'v2' } } },
    ),
    change(
      'a prompt replaces the text',
      { prompt_key: 'answer' },
      { ...changed, reply: { data: { content: null, prompt_key: 'answer', version: 'v3' } } },
    ),
    change(
      'null clears a field',
      { messages: null, description: null },
      { ...changed, reply: { data: { messages: [], description: '', version: 'v4' } } },
    ),
    change(
      'an outdated If-Match',
      { name: 'x' },
      {
        status: 412,
        headers: { 'if-match': '"1"' },
        reply: { code: 'precondition.failed' },
        fields: ['If-Match'],
      },
    ),
    change('the key', { key: 'b' }, wrong('key')),
    change('without text and prompt', { prompt_key: null }, wrong('content')),
    change(
      'to a workspace where the key is unused',
      { workspace_id: 'blue' },
      { ...changed, reply: { data: { version: 'v4' } } },
    ),
    change('as a viewer', { name: 'x' }, { status: 403, token: as('viewer') }),
  ])('$name', run)

  it('lists the versions unchanged, newest first', async () => {
    const list = await server.call(`GET ${path('/versions')}`)
    expect(
      list.body.data.map((version: Record<string, unknown>) => [
        version['version'],
        version['kind'],
        version['content'],
        version['message'],
        version['current'],
      ]),
    ).toEqual([
      ['v4', 'update', null, '', true],
      ['v3', 'update', null, '', false],
      ['v2', 'update', 'two', 'better', false],
      ['v1', 'create', 'one', '', false],
    ])
    expect((await server.call(`GET ${path('/versions/v2')}`)).body.data).toMatchObject({ content: 'two' })
    expect((await server.call(`GET ${path('/versions/v9')}`)).status).toBe(404)
  })
  it('rolls back as a new version', async () => {
    await run({
      name: '',
      call: `POST ${path('/rollback')}`,
      token: as('editor'),
      body: { version: 'v1', message: 'was better' },
      status: 200,
      reply: {
        data: {
          content: 'one',
          prompt_key: null,
          version: 'v5',
          messages: [{ role: 'system', content: 'Be brief' }],
        },
      },
      audit: ['editor rollback agent a'],
      frames: changedFrames,
    })
    expect((await server.call(`POST ${path('/rollback')}`, { body: { version: 5 } })).status).toBe(422)
    expect((await server.call(`POST ${path('/rollback')}`, { body: { version: 'v7' } })).status).toBe(404)
  })
  it('keeps the previous state in the audit log', async () => {
    const { body } = await server.call(`GET /api/audit?resource_id=${ids['a']}&action=rollback`)
    const entry = await server.call(`GET /api/audit/${body.data[0].id}`)
    expect(entry.body.data).toMatchObject({
      before: { prompt_key: 'answer', content: null, version: 'v4' },
      after: { prompt_key: null, content: 'one', version: 'v5' },
    })
  })
  it('can be copied within its workspace and to another', async () => {
    await run({
      name: '',
      call: `POST ${path('/duplicate')}`,
      token: as('editor'),
      status: 201,
      reply: { data: { key: 'a-copy', name: 'An agent (copy)', version: 'v1', content: 'one' } },
      audit: ['editor create agent a-copy'],
      frames: changedFrames,
    })
    const copy = await server.call(`POST ${path('/duplicate')}`, { body: { workspace_id: 'default' } })
    expect(copy.body.data).toMatchObject({ key: 'a', name: 'An agent', workspace_id: 'default' })
    expect((await server.call(`POST ${path('/duplicate')}`, { body: { key: 'a' } })).status).toBe(409)
  })
  it('is deleted with its versions, once', async () => {
    await run({
      name: '',
      call: `DELETE ${path()}`,
      token: as('editor'),
      status: 200,
      reply: { ok: true },
      audit: ['editor delete agent a'],
      frames: changedFrames,
    })
    expect((await server.call(`GET ${path()}`)).status).toBe(404)
    expect((await server.call(`GET ${path('/versions')}`)).status).toBe(404)
    expect((await server.call(`DELETE ${path()}`)).status).toBe(404)
  })
  it('honours Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'once' }
    const first = await server.call('POST /api/agents', { body: { key: 'once', content: 'x' }, headers })
    const again = await server.call('POST /api/agents', { body: { key: 'once', content: 'x' }, headers })
    expect(again.body).toEqual(first.body)
  })
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

describe('running', () => {
  const runOf = async (body: object, input: object = {}) => {
    const { id } = await make(server, '/api/agents', body)
    return {
      id,
      reply: await server.call(`POST /api/agents/${id}/run`, { token: tokens['viewer'] ?? '', body: input }),
    }
  }
  it('is one call, logged with its key and version', async () => {
    const { reply } = await runOf(
      { key: 'r/own', content: 'Hi {{who}}', messages: [{ role: 'system', content: 'Be brief' }] },
      { variables: { who: 'world' } },
    )
    expect(reply.body).toMatchObject({
      rendered: 'Hi world',
      result: { provider: 'mock', output: 'mock completion (mock-small): Hi world' },
      run: {
        source: 'agent',
        ref_key: 'r/own',
        version: 'v1',
        status: 'ok',
        user: 'viewer',
        reported: false,
      },
    })
    const log = await server.call('GET /api/runs?ref_key=r/own')
    expect(log.body.data.map((run: { id: number }) => run.id)).toEqual([reply.body.run.id])
    const stats = await server.call('GET /api/runs/stats?ref_key=r/own')
    expect(stats.body.data).toMatchObject({ total: 1, ok: 1, by_source: [{ source: 'agent', count: 1 }] })
  })
  it('runs the currently served version with its defaults', async () => {
    const { id, reply } = await runOf(
      { key: 'r/prompt', prompt_key: 'answer' },
      { variables: { question: 'Q' } },
    )
    expect(reply.body.rendered).toBe('Answer Q in English')
    const input = await server.call(`GET /api/agents/${id}/input`)
    expect(input.body.data).toMatchObject({
      ready: true,
      prompt: { key: 'answer', env: 'prod', version: 'v1' },
      variables: [
        { name: 'question', required: true },
        { name: 'language', default: 'English' },
      ],
    })
  })
  it('runs an older version on request', async () => {
    const { id } = await make(server, '/api/agents', { key: 'r/older', content: 'old' })
    await server.call(`PATCH /api/agents/${id}`, { body: { content: 'new' } })
    const older = await server.call(`POST /api/agents/${id}/run`, { body: { version: 'v1' } })
    expect(older.body).toMatchObject({ rendered: 'old', run: { version: 'v1' } })
    const none = await server.call(`POST /api/agents/${id}/run`, { body: { version: 'v9' } })
    expect(none.body.errors.map((error: { path: string }) => error.path)).toEqual(['version'])
  })
  it.each([
    ['a variable is missing', { key: 'r/missing', content: 'Hi {{who}}' }, {}, 'variables.who'],
    ['the prompt has no served version', { key: 'r/none', prompt_key: 'draft-only' }, {}, 'prompt_key'],
    ['the prompt does not exist', { key: 'r/gone', prompt_key: 'no-such' }, {}, 'prompt_key'],
  ])('is refused, and logs nothing, when %s', async (_name, body, input, path) => {
    const { id, reply } = await runOf(body, input)
    expect(reply.status).toBe(422)
    expect(reply.body.errors.map((error: { path: string }) => error.path)).toEqual([path])
    expect((await server.call(`GET /api/runs?ref_key=${body.key}`)).body.total).toBe(0)
    const ready = (await server.call(`GET /api/agents/${id}/input`)).body.data.ready
    expect(ready).toBe(path.startsWith('variables'))
  })
  it('stores the sent input when the provider fails, as one run', async () => {
    const { reply } = await runOf({ key: 'r/fails', content: 'Hi', params: { mock: { fail: 'start' } } })
    expect(reply.status).toBe(502)
    expect(reply.body).toMatchObject({ code: 'provider.failed', rendered: 'Hi', run_id: expect.any(Number) })
    const log = await server.call('GET /api/runs?ref_key=r/fails')
    expect(log.body.data).toMatchObject([{ id: reply.body.run_id, status: 'error', source: 'agent' }])
  })
  it('streams the text, then the reply', async () => {
    const { id } = await make(server, '/api/agents', { key: 'r/stream', content: 'Hi {{who}}' })
    const stream = await streamed(server, `/api/agents/${id}/run`, { variables: { who: 'world' } })
    const events = await stream.rest()
    const text = events
      .filter(({ event }) => event === 'delta')
      .map(({ data }) => data.text)
      .join('')
    expect(events.at(-1)).toMatchObject({
      event: 'done',
      data: { rendered: 'Hi world', result: { output: text } },
    })
    const refused = await streamed(server, `/api/agents/${id}/run`, {})
    expect(refused.response.status).toBe(422)
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
