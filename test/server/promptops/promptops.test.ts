import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../server/config.ts'
import { startTestServer } from '../../support/service.ts'
import { createPrompt, post, put, server, setUpService } from './promptops-service.ts'
import { promptOpsSdk, type SdkKind } from './promptops-support.ts'

setUpService()

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
    ['agents', { key: 'empty/prompt', content: '', prompt: '', prompt_key: 'mail' }],
    [
      'workflows',
      {
        key: 'empty/steps',
        steps: [{ name: 'greet', type: 'render', template: 'Hi', provider: '', op: '', agent_key: '' }],
      },
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
