import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { providerNames } from '../../../contract/models/models.ts'
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts'
import { type Scenario, type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

const key = 'sk-canary-of-an-added-provider-77'
let server: TestServer
let watcher: Watcher
let models: ModelServer
const tokens: Record<string, string> = {}

beforeAll(async () => {
  models = await startModelServer()
  server = await startTestServer()
  for (const role of ['viewer', 'editor', 'admin'] as const)
    tokens[role] = (await server.signedIn(role, role === 'admin' ? 'chief' : role)).token
  watcher = await watch(server)
})
afterAll(async () => {
  await watcher.close()
  await server.close()
  await models.close()
})

const as = (role: string) => () => tokens[role] ?? null
const local = () => ({ base_url: `${models.url}/v1`, local: true })
const post = (body: object, rest: Partial<Scenario> & { status: number }): Scenario => ({
  name: rest.name ?? JSON.stringify(body).slice(0, 60),
  call: 'POST /api/providers',
  token: as('admin'),
  body,
  ...rest,
})
const names = async () =>
  (await server.call('GET /api/playground/providers')).body.data.map(({ name }: { name: string }) => name)
const lastEntry = async () => {
  const { body } = await server.call('GET /api/audit?resource=provider&limit=1')
  return (await server.call(`GET /api/audit/${body.data[0].id}`)).body.data
}

describe('adding a provider', () => {
  it('stores its name, label, address, key, models and prices', async () => {
    const price = { model: '*', from: '2026-01-01', input_usd_per_million: 1, output_usd_per_million: 2 }
    const body = { label: 'Team vLLM', ...local(), api_key: key, models: ['qwen3'], prices: [price] }
    await watcher.run(
      post(body, {
        status: 201,
        audit: ['chief create provider team-vllm'],
        frames: ['provider', 'setting', 'audit'],
        forbidden: [key],
        reply: {
          data: {
            name: 'team-vllm',
            label: 'Team vLLM',
            kind: 'openai',
            built_in: false,
            models: ['qwen3'],
            default_model: 'qwen3',
            configured: true,
            status: 'unchecked',
            has_key: true,
            prices: [price],
          },
          key_tested: false,
        },
      }),
    )
    expect(await lastEntry()).toMatchObject({
      summary: 'Added the provider Team vLLM (team-vllm)',
      after: { label: 'Team vLLM', has_key: true, prices: [price] },
    })
    expect(await names()).toEqual([...providerNames, 'team-vllm'])
  })

  it.each<Scenario>([
    post(
      { label: 'Team vLLM', base_url: 'https://127.0.0.1/v1' },
      { status: 422, fields: ['base_url'], name: 'an address that must not be called' },
    ),
    post({ label: 'Team vLLM' }, { status: 422, fields: ['base_url'] }),
    post({ base_url: 'https://93.184.216.34/v1' }, { status: 422, fields: ['label'] }),
    post(
      { label: 'A', base_url: 'https://93.184.216.34/v1', name: 'Not a slug' },
      { status: 422, fields: ['name'] },
    ),
    ...['team-vllm', 'openai', 'mock'].map((name) =>
      post(
        { label: 'Another', base_url: 'https://93.184.216.34/v1', name },
        { name: `the taken name ${name}`, status: 409, reply: { code: 'provider.name_taken' } },
      ),
    ),
    post(
      { label: 'A', base_url: 'https://93.184.216.34/v1' },
      { name: 'by an editor', token: as('editor'), status: 403, reply: { required_role: 'admin' } },
    ),
  ])('is refused: $name', (scenario) => watcher.run(scenario))

  it('derives a free name, and tests a key on request', async () => {
    const second = await server.call('POST /api/providers', {
      body: { label: 'Team vLLM', ...local(), api_key: key, test_key: true },
    })
    expect(second.body).toMatchObject({ data: { name: 'team-vllm-2', status: 'ready' }, key_tested: true })
    const closed = await server.call('POST /api/providers', {
      body: { label: 'Closed', base_url: 'http://127.0.0.1:1/v1', local: true, api_key: key, test_key: true },
    })
    expect(closed.status).toBe(422)
    expect(closed.body.errors[0].message).toContain('Connection refused')
    expect(await names()).not.toContain('closed')
    const builtIn = await server.call('POST /api/providers', { body: { label: 'OpenAI', ...local() } })
    expect(builtIn.body.data.name).toBe('openai-2')
    for (const name of ['team-vllm-2', 'openai-2']) await server.call(`DELETE /api/providers/${name}`)
  })
})

describe('an added provider', () => {
  it('can be renamed, but keeps its id; a built-in one cannot', async () => {
    const call = 'PATCH /api/providers/team-vllm'
    await watcher.run({
      ...post({ label: 'Our vLLM' }, { status: 200, call, audit: ['chief update provider team-vllm'] }),
      frames: ['provider', 'audit'],
      reply: { data: { name: 'team-vllm', label: 'Our vLLM' } },
    })
    expect((await lastEntry()).summary).toBe('Changed label of the provider Our vLLM')
    await watcher.run(
      post({ label: 'Mine' }, { status: 422, call: 'PATCH /api/providers/openai', fields: ['label'] }),
    )
  })

  it('answers in the Playground, agents and workflows, and survives a restart', async () => {
    await watcher.close()
    await server.restart()
    watcher = await watch(server)
    tokens['admin'] = await server.login('chief', 'a phrase of chief 1')
    const run = await server.call('POST /api/playground/run', {
      body: { content: 'Hi', provider: 'team-vllm' },
    })
    expect(run.body.run).toMatchObject({ provider: 'team-vllm', model: 'qwen3', status: 'ok' })
    // Its price applies.
    expect(run.body.run.cost_usd).toBeGreaterThan(0)
    expect(models.seen.at(-1)?.headers['authorization']).toBe(`Bearer ${key}`)
    const agent = await server.call('POST /api/agents', {
      body: { key: 'on-vllm', content: 'Hi', provider: 'team-vllm' },
    })
    expect(agent.status).toBe(201)
    expect((await server.call(`POST /api/agents/${agent.body.data.id}/run`, { body: {} })).status).toBe(200)
    const steps = [{ name: 'ask', type: 'model', template: 'Hi', provider: 'team-vllm' }]
    const workflow = await server.call('POST /api/workflows', { body: { key: 'on-vllm', steps } })
    const executed = await server.call(`POST /api/workflows/${workflow.body.data.id}/run`, { body: {} })
    expect(executed.body).toMatchObject({ status: 'ok' })
  })

  it('is deleted; its runs keep its name, and what uses it fails with the reason', async () => {
    await watcher.run({
      name: 'delete',
      call: 'DELETE /api/providers/team-vllm',
      token: as('admin'),
      status: 200,
      audit: ['chief delete provider team-vllm'],
      frames: ['provider', 'audit'],
    })
    expect((await lastEntry()).summary).toBe('Deleted the provider Our vLLM and its key')
    expect(await names()).not.toContain('team-vllm')
    expect((await server.call('GET /api/providers/team-vllm')).status).toBe(404)
    expect((await server.call('GET /api/runs?provider=team-vllm')).body.total).toBe(3)
    const [agent] = (await server.call('GET /api/agents?provider=team-vllm')).body.data
    const failed = await server.call(`POST /api/agents/${agent.id}/run`, { body: {} })
    expect(failed.body.errors).toEqual([{ path: 'provider', message: 'Provider team-vllm not found' }])
    const [workflow] = (await server.call('GET /api/workflows')).body.data
    const execution = await server.call(`POST /api/workflows/${workflow.id}/run`, { body: {} })
    expect(execution.body.errors).toEqual([
      { path: 'steps.0.provider', message: 'Provider team-vllm not found' },
    ])
    const check = await server.call('POST /api/workflows/validate', {
      body: { steps: [{ name: 'ask', type: 'model', template: 'Hi', provider: 'team-vllm' }] },
    })
    expect(check.body.data).toMatchObject({ ok: false, findings: [{ path: 'steps.0.provider' }] })
    // The agent can still be changed; only a new provider must exist.
    const path = `PATCH /api/agents/${agent.id}`
    expect((await server.call(path, { body: { description: 'Old' } })).status).toBe(200)
    expect((await server.call(path, { body: { provider: 'nobody' } })).status).toBe(422)
  })
})
