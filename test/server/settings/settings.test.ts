import { describe, expect, it } from 'vitest'
import type { Scenario } from '../../support/scenario.ts'
import { server, setUpService, tokens, watchAgain, watcher } from '../service-with-roles.ts'

setUpService()

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
    const known = ['openai', 'claude', 'anthropic', 'gemini', 'google', 'ollama', 'mock']
    expect([...names]).toEqual(expect.arrayContaining(known))
  })

  it('contain a price for every known model, once, and zero for local ones', async () => {
    const { body } = await server.call('GET /api/settings')
    const prices: ReturnType<typeof price>[] = body.data.prices
    const keys = prices.map(({ provider, model, from }) => `${provider} ${model} ${from}`)
    expect(new Set(keys).size).toBe(keys.length)
    for (const row of prices.filter(({ provider }) => provider === 'ollama' || provider === 'mock')) {
      expect(row).toMatchObject({ model: '*', input_usd_per_million: 0, output_usd_per_million: 0 })
    }
    // Also as part of all settings, as they were read.
    for (const changes of [{ prices }, body.data])
      expect((await server.call('PATCH /api/settings', { body: changes })).body.data).toEqual(body.data)
    const token = { body: { service_token: 'x'.repeat(40) } }
    expect((await server.call('PATCH /api/settings', token)).status).toBe(422)
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
    await watchAgain()
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
