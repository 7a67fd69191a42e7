import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeCode, openSocket, type Scenario, type Watcher, watch } from '../../support/scenario.ts'
import { serviceToken, startTestServer, type TestServer } from '../../support/service.ts'

let server: TestServer
let watcher: Watcher
const tokens: Record<string, string> = {}
beforeAll(async () => {
  server = await startTestServer()
  for (const role of ['viewer', 'editor', 'admin'] as const) {
    tokens[role] = (await server.signedIn(role, role === 'admin' ? 'chief' : role)).token
  }
  watcher = await watch(server)
})
afterAll(async () => {
  await watcher.close()
  await server.close()
})

const price = (more: object = {}) => ({
  provider: 'openai',
  model: 'gpt-4o',
  from: '2024-08-06',
  input_usd_per_million: 2.5,
  output_usd_per_million: 10,
  ...more,
})
const patch = (name: string, body: unknown, rest: Partial<Scenario> & { status: number }): Scenario => ({
  name,
  call: 'PATCH /api/settings',
  token: () => tokens['admin'] ?? null,
  body,
  ...rest,
})
const changed = (...names: string[]) => ({
  status: 200,
  audit: names.map((name) => `chief setting_change setting ${name}`),
  frames: names.flatMap(() => ['setting', 'audit']),
})

describe('the settings', () => {
  it('have the documented defaults', async () => {
    const { body } = await server.call('GET /api/settings')
    expect(body.data).toMatchObject({
      workspace_creation_role: 'editor',
      run_retention_days: 90,
      capture: 'off',
      service_token: { source: 'environment', hint: null },
      fixed: ['service_token'],
      updated: {},
    })
    const names = new Set(body.data.prices.map((row: { provider: string }) => row.provider))
    expect([...names]).toEqual(['openai', 'claude', 'anthropic', 'gemini', 'google', 'ollama', 'mock'])
  })

  it('contain a price for every known model, once, and zero for local ones', async () => {
    const { body } = await server.call('GET /api/settings')
    const prices: ReturnType<typeof price>[] = body.data.prices
    const keys = prices.map(({ provider, model, from }) => `${provider} ${model} ${from}`)
    expect(new Set(keys).size).toBe(keys.length)
    for (const row of prices.filter(({ provider }) => provider === 'ollama' || provider === 'mock')) {
      expect(row).toMatchObject({ model: '*', input_usd_per_million: 0, output_usd_per_million: 0 })
    }
    expect((await server.call('PATCH /api/settings', { body: { prices } })).status).toBe(200)
  })

  it.each<Scenario>([
    patch(
      'can be changed one by one',
      { capture: 'redacted' },
      { ...changed('capture'), reply: { data: { capture: 'redacted' } } },
    ),
    patch(
      'can be changed together, with an audit entry each',
      { capture: 'full', run_retention_days: 30 },
      {
        ...changed('run_retention_days', 'capture'),
        reply: { data: { capture: 'full', run_retention_days: 30, updated: { capture: { by: 'chief' } } } },
      },
    ),
    patch('do not change to current values', { capture: 'full', run_retention_days: 30 }, { status: 200 }),
    patch('do not change by an empty request', {}, { status: 200 }),
    patch('change by PUT too', { capture: 'off' }, { ...changed('capture'), call: 'PUT /api/settings' }),
    patch(
      'accept a price table',
      { prices: [price(), price({ model: 'mine*' })] },
      {
        ...changed('prices'),
        reply: { data: { prices: [price(), price({ model: 'mine*' })] } },
      },
    ),
    patch(
      'accept an empty price table',
      { prices: [] },
      { ...changed('prices'), reply: { data: { prices: [] } } },
    ),
  ])('$name', (scenario) => watcher.run(scenario))

  it.each<Scenario>([
    patch(
      'an unknown role',
      { workspace_creation_role: 'admin' },
      { status: 422, fields: ['workspace_creation_role'] },
    ),
    patch('no days', { run_retention_days: 0 }, { status: 422, fields: ['run_retention_days'] }),
    patch('too many days', { run_retention_days: 3651 }, { status: 422, fields: ['run_retention_days'] }),
    patch('half a day', { run_retention_days: 1.5 }, { status: 422, fields: ['run_retention_days'] }),
    patch('days as text', { run_retention_days: '30' }, { status: 422, fields: ['run_retention_days'] }),
    patch('another capture', { capture: 'some' }, { status: 422, fields: ['capture'] }),
    patch('null', { capture: null }, { status: 422, fields: ['capture'] }),
    patch('a token', { service_token: 'x' }, { status: 422, fields: ['service_token'] }),
    patch('an unknown one', { theme: 'dark' }, { status: 422, fields: ['theme'] }),
    patch(
      'a negative price',
      { prices: [price({ input_usd_per_million: -1 })] },
      {
        status: 422,
        fields: ['prices.0.input_usd_per_million'],
      },
    ),
    patch(
      'a price without a valid date',
      { prices: [price({ from: '2024-02-30' })] },
      { status: 422, fields: ['prices.0.from'] },
    ),
    patch(
      'a price without a model',
      { prices: [price({ model: ' ' })] },
      { status: 422, fields: ['prices.0.model'] },
    ),
    patch(
      'two prices for the same day',
      { prices: [price(), price(), price({ model: 'x' })] },
      {
        status: 422,
        fields: ['prices.1'],
      },
    ),
    patch('one good and one bad', { capture: 'full', run_retention_days: 0 }, { status: 422 }),
    patch(
      'an editor',
      { capture: 'full' },
      {
        token: () => tokens['editor'] ?? null,
        status: 403,
        reply: { required_role: 'admin' },
      },
    ),
    patch('a viewer who reads', undefined, {
      call: 'GET /api/settings',
      token: () => tokens['viewer'] ?? null,
      status: 403,
    }),
  ])('are refused for $name', (scenario) => watcher.run(scenario))

  it('record changes in the audit log', async () => {
    const lastEntry = async (key: string) => {
      const list = await server.call(`GET /api/audit?action=setting_change&key=${key}`)
      return (await server.call(`GET /api/audit/${list.body.data[0].id}`)).body.data
    }
    expect(await lastEntry('run_retention_days')).toMatchObject({
      before: { run_retention_days: 90 },
      after: { run_retention_days: 30 },
      summary: 'Changed run_retention_days from 90 to 30',
    })
    expect(await lastEntry('prices')).toMatchObject({
      before: { prices: [price(), price({ model: 'mine*' })] },
      after: { prices: [] },
    })
  })

  it('are unchanged after a restart', async () => {
    const before = await server.call('GET /api/settings')
    await watcher.close()
    await server.restart()
    watcher = await watch(server)
    expect((await server.call('GET /api/settings')).body).toEqual(before.body)
  })
})

describe('the permission to create a workspace', () => {
  const post = () =>
    server.call('POST /api/workspaces', { token: tokens['viewer'] ?? '', body: { name: 'Mine' } })
  const permissions = async () =>
    (await server.call('GET /api/me', { token: tokens['viewer'] ?? '' })).body.permissions

  it('follows the setting immediately, including in `me`', async () => {
    expect((await post()).status).toBe(403)
    expect(await permissions()).not.toContain('workspaces.create')
    await server.call('PATCH /api/settings', { body: { workspace_creation_role: 'viewer' } })
    expect(await permissions()).toContain('workspaces.create')
    const created = await post()
    expect(created.status).toBe(201)
    const edit = await server.call(`PATCH /api/workspaces/${created.body.data.id}`, {
      token: tokens['viewer'] ?? '',
      body: { name: 'Mine alone' },
    })
    expect(edit.status).toBe(403)
    await server.call('PATCH /api/settings', { body: { workspace_creation_role: 'editor' } })
    expect((await post()).status).toBe(403)
  })
})

describe('settings from the environment', () => {
  let fixed: TestServer
  let fixedWatcher: Watcher
  beforeAll(async () => {
    fixed = await startTestServer()
    await fixed.restart({ RUN_RETENTION_DAYS: '14' })
    fixedWatcher = await watch(fixed)
  })
  afterAll(async () => {
    await fixedWatcher.close()
    await fixed.close()
  })

  it.each<Scenario>([
    {
      name: 'are shown as fixed',
      call: 'GET /api/settings',
      status: 200,
      reply: { data: { run_retention_days: 14, fixed: ['run_retention_days', 'service_token'] } },
    },
    {
      name: 'cannot be changed',
      call: 'PATCH /api/settings',
      body: { run_retention_days: 30 },
      status: 422,
      reply: { code: 'request.invalid' },
      fields: ['run_retention_days'],
    },
    {
      name: 'reject the whole change',
      call: 'PATCH /api/settings',
      body: { capture: 'full', run_retention_days: 30 },
      status: 422,
      fields: ['run_retention_days'],
    },
    {
      name: 'may be sent unchanged',
      call: 'PUT /api/settings',
      body: { run_retention_days: 14, capture: 'full' },
      status: 200,
      reply: { data: { capture: 'full', run_retention_days: 14 } },
      audit: ['service-token setting_change setting capture'],
      frames: ['setting', 'audit'],
    },
    {
      name: 'prevent a new service token',
      call: 'POST /api/settings/service-token',
      status: 422,
      reply: { code: 'request.invalid' },
      forbidden: [serviceToken],
    },
  ])('$name', (scenario) => fixedWatcher.run(scenario))

  it('end when the variable is removed', async () => {
    await fixedWatcher.close()
    await fixed.restart()
    fixedWatcher = await watch(fixed)
    const { body } = await fixed.call('GET /api/settings')
    expect(body.data).toMatchObject({ run_retention_days: 90, fixed: ['service_token'] })
  })
})

describe('the service token', () => {
  let plain: TestServer
  let admin: string
  beforeAll(async () => {
    plain = await startTestServer({ env: { SERVICE_TOKEN: '' } })
    admin = (await signInAsAdmin(plain)).token
  })
  afterAll(() => plain.close())
  const replace = (token = admin) => plain.call('POST /api/settings/service-token', { token })
  const isValid = async (token: string) => (await plain.call('GET /api/me', { token })).status === 200

  it('is created and shown once, and replaces the previous one, including sockets', async () => {
    const socket = await openSocket(plain, 'promptdeck-dev-token')
    const code = closeCode(socket)
    const first = await replace()
    expect(first.status).toBe(201)
    const { token, hint } = first.body.data
    expect(token).toMatch(/^pd_svc_[\w-]{43}$/)
    expect(token.endsWith(hint)).toBe(true)
    expect(await code).toBe(4401)
    expect([await isValid('promptdeck-dev-token'), await isValid(token)]).toEqual([false, true])

    const shown = await plain.call('GET /api/settings', { token: admin })
    expect(shown.body.data).toMatchObject({ service_token: { source: 'stored', hint }, fixed: [] })
    expect(shown.body.data.updated.service_token.by).toBe('admin')
    expect(shown.text).not.toContain(token)

    const second = await replace(token)
    expect([await isValid(token), await isValid(second.body.data.token)]).toEqual([false, true])

    const log = await plain.call('GET /api/audit/export?format=jsonl', { token: admin })
    expect(log.text).not.toContain(token.slice(7))
    expect(log.text).not.toContain(second.body.data.token.slice(7))
    const list = await plain.call('GET /api/audit?action=setting_change&sort=created_at', { token: admin })
    expect(list.body.data.map((row: { actor: string; key: string }) => `${row.actor} ${row.key}`)).toEqual([
      'admin service_token',
      'service-token service_token',
    ])
  })

  it('is overridden by the environment, and valid again afterwards', async () => {
    const { token } = (await replace()).body.data
    await plain.restart({ SERVICE_TOKEN: serviceToken })
    expect([await isValid(token), await isValid(serviceToken)]).toEqual([false, true])
    await plain.restart({ SERVICE_TOKEN: '' })
    expect([await isValid(token), await isValid(serviceToken)]).toEqual([true, false])
  })
})

async function signInAsAdmin(server: TestServer): Promise<{ token: string }> {
  return { token: await server.login('admin', 'admin') }
}
