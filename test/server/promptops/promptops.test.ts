import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import { type Answer, startTestServer, type TestServer } from '../../support/service.ts'
import { promptOpsSdk, type SdkKind } from './promptops-support.ts'

let server: TestServer
const tokens: Record<string, string> = {}

beforeAll(async () => {
  server = await startTestServer()
  for (const role of ['viewer', 'editor'] as const) tokens[role] = (await server.signedIn(role, role)).token
})
afterAll(() => server.close())

const post = (path: string, body: unknown, token?: string): Promise<Answer> =>
  server.call(`POST ${path}`, { body, ...(token !== undefined && { token }) })
const put = (path: string, body: unknown, options: { token?: string; ifMatch?: string } = {}) =>
  server.call(`PUT ${path}`, {
    body,
    ...(options.token !== undefined && { token: options.token }),
    ...(options.ifMatch !== undefined && { headers: { 'if-match': options.ifMatch } }),
  })
const createPrompt = async (body: object): Promise<{ id: string; etag: string }> => {
  const reply = await post('/api/prompts', body)
  expect(reply).toMatchObject({ status: 201 })
  return reply.body.data
}
const auditOf = async (id: string): Promise<string[]> => {
  const { body } = await server.call(`GET /api/audit?resource_id=${id}&limit=200`)
  return body.data.map((entry: { action: string }) => entry.action).toReversed()
}

describe("the scripts of PromptOps's repository", () => {
  it('runs every call of the smoke script', async () => {
    const smoke = await startTestServer({
      env: { SERVICE_TOKEN: '', PROMPTOPS_TOKEN: 'promptops-dev-token' },
    })
    try {
      const token = 'promptops-dev-token'
      const call = async (what: string, body?: unknown, bearer: string | null = token) =>
        smoke.call(what, { token: bearer, ...(body !== undefined && { body }) })
      expect((await call('GET /health', undefined, null)).status).toBe(200)
      expect((await call('POST /api/login', { token }, null)).status).toBe(200)
      const admin = await call('POST /api/login', { username: 'admin', password: 'admin' }, null)
      expect(admin.text).toContain('"role":"admin"')
      const prompt = await call('POST /api/prompts', {
        key: 'smoke.test',
        name: 'Smoke',
        content: 'hello {{name}}',
        env: 'prod',
        model: 'gpt-4o-mini',
      })
      expect(prompt.status).toBe(201)
      expect((await call('GET /api/sdk/prompts/smoke.test?env=prod')).text).toContain('hello {{name}}')
      expect((await call('GET /api/prompts', undefined, 'wrong')).status).toBe(401)
      const run = await call('POST /api/playground/run', {
        content: 'Hi {{who}}',
        variables: { who: 'world' },
        provider: 'mock',
      })
      expect(run.text).toContain('Hi world')
      expect(run.text).toContain('mock completion')
      const workflow = await call('POST /api/workflows', {
        key: 'smoke.flow',
        name: 'Smoke flow',
        steps: [
          { name: 'render', type: 'render', template: 'Hi {{who}}' },
          { name: 'model', type: 'model', provider: 'mock' },
          { name: 'upper', type: 'transform', op: 'upper' },
        ],
      })
      const [, id] = /"id":"([^"]+)"/.exec(workflow.text) ?? []
      const flow = await call(`POST /api/workflows/${id}/run`, { variables: { who: 'world' } })
      expect(flow.text).toContain('HI WORLD')
      expect((await call('GET /api/audit')).text).toContain('"action"')
      expect((await call('GET /api/runs/stats')).text).toContain('"total"')
    } finally {
      await smoke.close()
    }
  })

  it.each<SdkKind>(['node', 'python'])('runs the integration script of the %s client', async (kind) => {
    const at = { url: server.url, token: server.config.serviceToken ?? '' }
    const sdk = promptOpsSdk(kind, at)
    const { id } = await createPrompt({
      key: 'sdk.demo',
      name: 'SDK demo',
      content: 'Hello {{name}}, v1',
      env: 'prod',
      model: 'gpt-4o',
    })
    expect(await sdk.render('sdk.demo', { name: 'Ada' })).toBe('Hello Ada, v1')
    const watch = await sdk.watch('sdk.demo')
    const saved = await put(`/api/prompts/${id}`, {
      name: 'SDK demo',
      content: 'Hello {{name}}, v2',
      version: 'v2',
      env: 'prod',
    })
    expect(saved).toMatchObject({ status: 200, body: { data: { version: 'v2', has_draft: false } } })
    expect(await watch.next()).toMatchObject({ key: 'sdk.demo', version: 'v2' })
    expect(await sdk.render('sdk.demo', { name: 'Ada' })).toBe('Hello Ada, v2')
    expect(watch.isOver()).toBe(false)
    await watch.close()
    expect((await server.call(`DELETE /api/prompts/${id}`)).status).toBe(200)
  })

  it('reads the token from PROMPTOPS_TOKEN unless SERVICE_TOKEN is set', () => {
    const old = 'o'.repeat(40)
    const own = 's'.repeat(40)
    expect(readConfig({ PROMPTOPS_TOKEN: old }).serviceToken).toBe(old)
    expect(readConfig({ PROMPTOPS_TOKEN: old, SERVICE_TOKEN: own }).serviceToken).toBe(own)
    expect(readConfig({ PROMPTOPS_TOKEN: '', SERVICE_TOKEN: '' }).serviceToken).toBeNull()
    expect(readConfig({ PROMPTOPS_TOKEN: old, SERVICE_TOKEN: ' ' }).serviceToken).toBe(old)
  })
})

describe('empty strings for optional fields', () => {
  it('count as absent when a prompt is created and changed', async () => {
    const reply = await post('/api/prompts', {
      key: 'empty/one',
      name: '',
      description: '',
      content: 'Hi',
      env: '',
      category: '',
      tags: '',
      model: '',
      workspace_id: '',
      version: '',
      message: '',
    })
    expect(reply).toMatchObject({
      status: 201,
      body: { data: { name: 'empty/one', env: 'dev', category: null, model: null, tags: [], version: 'v1' } },
    })
    const { id } = reply.body.data
    await server.call(`PATCH /api/prompts/${id}`, {
      body: { name: 'One', category: 'mail', tags: ['a'], model: 'gpt-4o' },
    })
    const changed = await put(`/api/prompts/${id}`, {
      key: '',
      name: '',
      category: '',
      tags: '',
      model: '',
      version: '',
      content: 'Hi again',
    })
    expect(changed).toMatchObject({
      status: 200,
      body: {
        data: {
          name: 'One',
          category: 'mail',
          tags: ['a'],
          model: 'gpt-4o',
          content: 'Hi again',
          version: 'v1',
        },
      },
    })
  })

  it('are values where the schema accepts them: a text, a description', async () => {
    const { id } = await createPrompt({ key: 'empty/two', content: 'Hi', description: 'Greets', draft: true })
    const cleared = await server.call(`PATCH /api/prompts/${id}`, { body: { content: '', description: '' } })
    expect(cleared.body.data).toMatchObject({ content: '', description: '' })
  })

  it.each([
    [
      'agents',
      { key: 'empty/agent', content: 'Hi', prompt_key: '', provider: '', model: '', env: '', name: '' },
    ],
    [
      'workflows',
      {
        key: 'empty/flow',
        name: '',
        workspace_id: '',
        steps: [
          {
            name: 'choose',
            type: 'condition',
            when: 'yes',
            // biome-ignore lint/suspicious/noThenProperty: a name of the wire
            then: [{ name: 'ask', type: 'model', provider: '', model: '' }],
          },
        ],
      },
    ],
    ['workspaces', { name: 'Empty', slug: '', capture: '' }],
    ['users', { username: 'empty', password: 'a phrase of empty 1', role: 'viewer', disabled: '' }],
    ['tokens', { name: 'empty', role: 'viewer', workspace: '', expires_at: '' }],
    [
      'runs',
      { provider: 'mock', model: 'm', latency_ms: 1, status: 'ok', ref_key: '', error: '', created_at: '' },
    ],
  ])('count as absent in %s', async (noun, body) => {
    expect(await post(`/api/${noun}`, body)).toMatchObject({ status: 201 })
  })

  it.each([
    'prompts?env=&folder=&q=&workspace=&category=&tag=&draft=&include=&fields=&limit=&offset=&cursor=&sort=',
    'prompts?env=&env=prod',
    'prompts/facets?workspace=&env=',
    'prompts/export?format=&id=&folder=',
    'agents?provider=&prompt_key=&q=&workspace=',
    'workflows?q=&key=',
    'runs?source=&provider=&model=&status=&from=&to=&min_latency_ms=&q=&cursor=',
    'runs/stats?interval=&from=&workspace=',
    'audit?actor=&action=&resource=&from=&to=&q=',
    'clients?client_type=&app=&include=',
    'workspaces?q=&sort=',
    'users?role=&disabled=',
    'sdk/prompts?env=&workspace=&limit=&cursor=',
  ])('count as absent in GET /api/%s', async (path) => {
    expect(await server.call(`GET /api/${path}`)).toMatchObject({ status: 200 })
  })

  it('filter by the other parameters', async () => {
    for (const env of ['dev', 'prod']) await createPrompt({ key: `empty-filter/${env}`, content: 'x', env })
    const { body } = await server.call('GET /api/prompts?env=&env=prod&folder=empty-filter')
    expect(body.data.map(({ key }: { key: string }) => key)).toEqual(['empty-filter/prod'])
  })

  it('do not replace a required field, and unknown parameters are still refused', async () => {
    expect(await post('/api/prompts', { key: '', content: 'Hi' })).toMatchObject({ status: 422 })
    expect(await post('/api/workspaces', { name: '' })).toMatchObject({ status: 422 })
    expect(await server.call('GET /api/prompts?colour=')).toMatchObject({ status: 422 })
  })

  it('do not override user name and password beside an empty token, and vice versa', async () => {
    const both = await post('/api/login', { username: 'viewer', password: 'a phrase of viewer 1', token: '' })
    expect(both).toMatchObject({ status: 200, body: { username: 'viewer' } })
    const token = server.config.serviceToken
    expect(await post('/api/login', { username: '', password: '', token })).toMatchObject({ status: 200 })
    expect(await post('/api/login', { username: '', password: '', token: '' })).toMatchObject({ status: 422 })
    const mixed = { username: 'viewer', password: 'a phrase of viewer 1', token }
    expect(await post('/api/login', mixed)).toMatchObject({ status: 422 })
    expect(await post('/api/login', { username: 'viewer' })).toMatchObject({ status: 422 })
  })

  it('are ignored as api_key and base_url of the playground, which runs mock without a provider', async () => {
    const body = { content: 'Hi {{who}}', variables: { who: 'world' } }
    const run = await post('/api/playground/run', {
      ...body,
      provider: '',
      api_key: '',
      base_url: '',
      id: '',
    })
    expect(run).toMatchObject({ status: 200, body: { rendered: 'Hi world', result: { provider: 'mock' } } })
    expect(await post('/api/playground/run', body)).toMatchObject({ status: 200 })
    for (const field of ['api_key', 'base_url'])
      expect(await post('/api/playground/run', { ...body, [field]: 'x' })).toMatchObject({
        status: 422,
        body: { errors: [{ path: field }] },
      })
  })
})

describe('bodies of PromptOps clients', () => {
  it('create a prompt from a key alone: an empty draft that nothing serves', async () => {
    const reply = await post('/api/prompts', { key: 'only.key' })
    expect(reply).toMatchObject({
      status: 201,
      body: { data: { key: 'only.key', name: 'only.key', version: null, has_draft: true, content: '' } },
    })
    expect((await server.call('GET /api/sdk/prompts/only.key?env=dev')).status).toBe(404)
  })

  it('name the text of an agent prompt', async () => {
    const reply = await post('/api/agents', { key: 'old/agent', prompt: 'Say {{what}}', provider: 'mock' })
    expect(reply).toMatchObject({
      status: 201,
      body: { data: { content: 'Say {{what}}', prompt_key: null } },
    })
    const { id } = reply.body.data
    const changed = await put(`/api/agents/${id}`, { prompt: 'Tell {{what}}' })
    expect(changed).toMatchObject({
      status: 200,
      body: { data: { content: 'Tell {{what}}', version: 'v2' } },
    })
    const both = await put(`/api/agents/${id}`, { prompt: 'One', content: 'Two' })
    expect(both).toMatchObject({ status: 422, body: { errors: [{ path: 'prompt' }] } })
  })

  it('store the label of POST as the message if it is not a version number', async () => {
    const messageOf = async (id: string) =>
      (await server.call(`GET /api/prompts/${id}/versions/v1`)).body.data.message
    const other = await createPrompt({ key: 'label/other', content: 'Hi', version: '2024-06' })
    expect(await messageOf(other.id)).toBe('2024-06')
    const same = await createPrompt({ key: 'label/same', content: 'Hi', version: 'v1' })
    expect(await messageOf(same.id)).toBe('')
  })

  it.each([
    ['an unknown environment', '/api/sdk/prompts/some.key?env=staging'],
    ['an unknown environment, for all prompts', '/api/sdk/prompts?env=staging'],
  ])('get 404 for %s', async (_name, path) => {
    expect(await server.call(`GET ${path}`)).toMatchObject({ status: 404, body: { code: 'not_found' } })
  })

  it('get 404 for a rollback to an unknown version, of prompts, agents and workflows', async () => {
    const prompt = await createPrompt({ key: 'roll/prompt', content: 'Hi' })
    const agent = (await post('/api/agents', { key: 'roll/agent', content: 'Hi' })).body.data
    const steps = [{ name: 'a', type: 'render', template: 'Hi' }]
    const workflow = (await post('/api/workflows', { key: 'roll/flow', steps })).body.data
    for (const version of ['v9', '2024-06', 9]) {
      for (const path of [`prompts/${prompt.id}`, `agents/${agent.id}`, `workflows/${workflow.id}`])
        expect(await post(`/api/${path}/rollback`, { version })).toMatchObject({
          status: 404,
          body: { code: 'not_found' },
        })
      expect(await post('/api/prompts/rollback', { id: prompt.id, version })).toMatchObject({ status: 404 })
    }
  })
})

describe('PUT of a prompt with another version', () => {
  it('saves and publishes in one transaction: one audit entry, one version, the label as its message', async () => {
    const { id } = await createPrompt({ key: 'serve/one', content: 'One', env: 'prod' })
    const reply = await put(`/api/prompts/${id}`, { name: 'New', content: 'Two', version: 'summer' })
    expect(reply).toMatchObject({
      status: 200,
      body: { data: { name: 'New', version: 'v2', has_draft: false, served: { content: 'Two' } } },
    })
    expect((await server.call(`GET /api/prompts/${id}/versions/v2`)).body.data).toMatchObject({
      kind: 'publish',
      message: 'summer',
    })
    expect(await auditOf(id)).toEqual(['create', 'publish'])
  })

  it('stores no message if the label equals the new version', async () => {
    const { id } = await createPrompt({ key: 'serve/two', content: 'One' })
    await put(`/api/prompts/${id}`, { content: 'Two', version: 'v2' })
    expect((await server.call(`GET /api/prompts/${id}/versions/v2`)).body.data.message).toBe('')
  })

  it('changes only the draft with the current version, and nothing when repeated', async () => {
    const { id } = await createPrompt({ key: 'serve/three', content: 'One' })
    const draft = await put(`/api/prompts/${id}`, { content: 'Two', version: 'v1' })
    expect(draft.body.data).toMatchObject({ version: 'v1', has_draft: true, served: { content: 'One' } })
    const served = await put(`/api/prompts/${id}`, { content: 'Two', version: 'v2' })
    expect(served.body.data).toMatchObject({ version: 'v2', has_draft: false })
    const again = await put(`/api/prompts/${id}`, { content: 'Two', version: 'v2' })
    expect(again.body.data).toMatchObject({ version: 'v2', etag: served.body.data.etag })
    const label = await put(`/api/prompts/${id}`, { content: 'Two', version: 'other' })
    expect(label.body.data).toMatchObject({ version: 'v2', etag: served.body.data.etag })
  })

  it('publishes the first version of a draft', async () => {
    const { id } = await createPrompt({ key: 'serve/first', content: 'One', draft: true })
    const reply = await put(`/api/prompts/${id}`, { content: 'One', version: 'v1' })
    expect(reply.body.data).toMatchObject({ version: 'v1', served: { content: 'One' } })
  })

  it('requires permission to publish in a protected environment', async () => {
    const safe = { name: 'Put safe', protected_envs: ['prod'] }
    const workspace_id = (await post('/api/workspaces', safe)).body.data.id
    const { id } = await createPrompt({ key: 'serve/safe', content: 'One', env: 'prod', workspace_id })
    const token = tokens['editor'] ?? ''
    const refused = await put(`/api/prompts/${id}`, { content: 'Two', version: 'v2' }, { token })
    expect(refused).toMatchObject({ status: 403, body: { code: 'auth.forbidden', required_role: 'admin' } })
    const after = (await server.call(`GET /api/prompts/${id}`)).body.data
    expect(after).toMatchObject({ version: 'v1', has_draft: false, content: 'One' })
    expect(await put(`/api/prompts/${id}`, { content: 'Two' }, { token })).toMatchObject({ status: 200 })
  })

  it('refuses to publish over the draft of another user without If-Match', async () => {
    const { id } = await createPrompt({ key: 'serve/other', content: 'One' })
    await server.call(`PATCH /api/prompts/${id}`, { body: { content: 'Theirs' } })
    const token = tokens['editor'] ?? ''
    // A change of fields that are not versioned does not change the owner of the draft.
    await server.call(`PATCH /api/prompts/${id}`, { body: { name: 'Mine' }, token })
    const body = { content: 'Two', version: 'v2' }
    const refused = await put(`/api/prompts/${id}`, body, { token })
    expect(refused).toMatchObject({ status: 412, body: { code: 'precondition.failed' } })
    expect(refused.body.detail).toContain('service-token')
    expect((await server.call(`GET /api/prompts/${id}`)).body.data.content).toBe('Theirs')
    const { etag } = (await server.call(`GET /api/prompts/${id}`)).body.data
    expect(await put(`/api/prompts/${id}`, body, { token, ifMatch: etag })).toMatchObject({
      status: 200,
      body: { data: { version: 'v2', content: 'Two' } },
    })
  })

  it("publishes over one's own draft", async () => {
    const { id } = await createPrompt({ key: 'serve/own', content: 'One' })
    const token = tokens['editor'] ?? ''
    await server.call(`PATCH /api/prompts/${id}`, { body: { model: 'gpt-4o' }, token })
    await server.call(`PATCH /api/prompts/${id}`, { body: { name: 'Renamed by an admin' } })
    const reply = await put(`/api/prompts/${id}`, { content: 'Two', version: 'v2' }, { token })
    expect(reply.body.data).toMatchObject({ version: 'v2', content: 'Two', model: 'gpt-4o' })
  })

  it('ignores the version in PATCH', async () => {
    const { id } = await createPrompt({ key: 'serve/patch', content: 'One' })
    const reply = await server.call(`PATCH /api/prompts/${id}`, { body: { content: 'Two', version: 'v7' } })
    expect(reply.body.data).toMatchObject({ version: 'v1', has_draft: true })
  })
})

describe('an object returned by GET', () => {
  const bodies: [string, object, object][] = [
    [
      'prompts',
      { key: 'back/prompt', content: 'Hi {{name}}', tags: ['a'], category: 'mail' },
      { name: 'New' },
    ],
    ['agents', { key: 'back/agent', content: 'Hi', params: { temperature: 0.5 } }, { name: 'New' }],
    ['agents', { key: 'back/follows', prompt_key: 'back/prompt' }, { name: 'New' }],
    [
      'workflows',
      {
        key: 'back/flow',
        steps: [
          { name: 'a', type: 'render', template: 'Hi {{name}}' },
          { name: 'b', type: 'model' },
        ],
      },
      { name: 'New' },
    ],
    ['workspaces', { name: 'Back', description: 'x' }, { name: 'New' }],
    ['users', { username: 'back', password: 'a phrase of back 1', role: 'viewer' }, { role: 'editor' }],
  ]
  it.each(bodies)('can be sent back by PUT: %s %o', async (noun, body, change) => {
    const { id } = (await post(`/api/${noun}`, body)).body.data
    const read = (await server.call(`GET /api/${noun}/${id}`)).body.data
    const same = await put(`/api/${noun}/${id}`, read)
    expect(same).toMatchObject({ status: 200, body: { data: read } })
    expect(await auditOf(id)).toEqual(['create'])
    const changed = await put(`/api/${noun}/${id}`, { ...read, ...change })
    expect(changed).toMatchObject({ status: 200, body: { data: { id, ...change } } })
  })

  it('still refuses an unknown field', async () => {
    const { id } = await createPrompt({ key: 'back/strict', content: 'Hi' })
    const read = (await server.call(`GET /api/prompts/${id}`)).body.data
    expect(await put(`/api/prompts/${id}`, { ...read, colour: 'red' })).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'colour' }] },
    })
  })
})
