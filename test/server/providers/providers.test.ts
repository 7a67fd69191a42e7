import { describe, expect, it } from 'vitest'
import { providerNames } from '../../../contract/models/models.ts'
import type { Scenario } from '../../support/scenario.ts'
import {
  as,
  changed,
  get,
  lastEntry,
  put,
  refused,
  server,
  setUpService,
  tokens,
  watchAgain,
  watcher,
} from './providers-support.ts'

setUpService()

describe('the providers', () => {
  it('are the built-in ones', async () => {
    const { body } = await server.call('GET /api/providers')
    expect(body.data.map((provider: { name: string }) => provider.name)).toEqual(providerNames)
    expect(body.total).toBe(providerNames.length)
    const named = (name: string) => body.data.find((provider: { name: string }) => provider.name === name)
    expect(named('openai')).toMatchObject({
      base_url: 'https://api.openai.com/v1',
      enabled: true,
      local: false,
      needs_key: true,
      has_key: false,
      key_hint: null,
      key_problem: null,
      configured: false,
      updated_at: null,
      updated_by: null,
    })
    expect(named('openai').prices).toContainEqual({
      model: 'gpt-4o',
      from: '2024-08-06',
      input_usd_per_million: 2.5,
      output_usd_per_million: 10,
    })
    expect(named('ollama')).toMatchObject({ local: true, configured: true, has_key: false })
    // Only an admin can declare an address on this network as intended.
    expect(named('openai-compatible')).toMatchObject({ local: false, base_url: null, configured: false })
  })

  it('show everyone which can be called, and why others cannot', async () => {
    const { status, body } = await server.call('GET /api/playground/providers', {
      token: tokens['viewer'] ?? '',
    })
    expect(status).toBe(200)
    const [mock, openai] = body.data
    expect(mock).toEqual({
      name: 'mock',
      label: 'Mock (offline)',
      kind: 'mock',
      models: ['mock-small', 'mock-large'],
      default_model: 'mock-small',
      configured: true,
      reason: null,
      local: true,
      built_in: true,
      status: 'ready',
      checked_at: null,
      checked_by: null,
      latency_ms: null,
      failing_since: null,
      error: null,
    })
    expect(openai).toMatchObject({
      configured: false,
      reason: 'OpenAI has no API key; an admin must set it.',
    })
    expect(JSON.stringify(body)).not.toMatch(/base_url|key_hint/)
  })

  it.each<Scenario>([
    { name: 'an unknown provider', call: 'GET /api/providers/acme', token: as('admin'), status: 404 },
    { name: 'a name in upper case', call: 'PUT /api/providers/OpenAI', body: {}, status: 404 },
    { name: 'a test of an unknown provider', call: 'POST /api/providers/acme/test', status: 404 },
    put(
      'openai',
      { enabled: false },
      { name: 'a change by an editor', token: as('editor'), status: 403, reply: { required_role: 'admin' } },
    ),
    { name: 'a viewer who reads them', call: 'GET /api/providers/openai', token: as('viewer'), status: 403 },
    {
      name: 'a caller without a token',
      call: 'GET /api/playground/providers',
      token: () => null,
      status: 401,
    },
  ])('reject $name', (scenario) => watcher.run(scenario))
})

describe('a key', () => {
  const key = 'sk-proj-canary-0123456789-x7Qa'
  it('is stored, and only its end is ever shown', async () => {
    await watcher.run(
      put(
        'openai',
        { api_key: key },
        {
          ...changed('openai'),
          reply: {
            data: { has_key: true, key_hint: 'x7Qa', configured: true, reason: null },
            key_dropped: false,
          },
          forbidden: [key],
        },
      ),
    )
    expect(await lastEntry()).toMatchObject({
      summary: 'Set a key of the provider OpenAI',
      before: { has_key: false, key_hint: null },
      after: { has_key: true, key_hint: 'x7Qa' },
    })
    expect(await get('openai')).toMatchObject({ has_key: true, updated_by: 'chief' })
  })
  it('is unchanged if it is the same; a new one or a removal is a change', async () => {
    await watcher.run(put('openai', { api_key: key }, { status: 200 }))
    await watcher.run(put('openai', { api_key: ` ${key} ` }, { status: 200 }))
    await watcher.run(put('openai', { api_key: `${key.slice(0, -5)}!x7Qa` }, changed('openai')))
    expect((await lastEntry()).summary).toBe('Replaced the key of the provider OpenAI')
    await watcher.run(
      put(
        'openai',
        { api_key: null },
        { ...changed('openai'), reply: { data: { has_key: false, key_hint: null } } },
      ),
    )
    expect((await lastEntry()).summary).toBe('Removed the key of the provider OpenAI')
    await watcher.run(put('openai', { api_key: null }, { status: 200 }))
  })
  it('shows nothing of itself if it is short', async () => {
    await watcher.run(
      put(
        'ollama',
        { api_key: 'short77' },
        {
          ...changed('ollama'),
          reply: { data: { has_key: true, key_hint: null } },
          forbidden: ['short77', 'rt77'],
        },
      ),
    )
    await watcher.run({
      ...put('ollama', undefined, changed('ollama', 'delete')),
      call: 'DELETE /api/providers/ollama',
    })
  })
  it('is still stored after a restart', async () => {
    await server.call('PUT /api/providers/claude', { body: { api_key: 'sk-ant-canary-abcd' } })
    await watcher.close()
    await server.restart()
    await watchAgain()
    for (const [role, user] of [['admin', 'chief']] as const) {
      tokens[role] = await server.login(user, `a phrase of ${user} 1`)
    }
    expect(await get('claude')).toMatchObject({ has_key: true, key_hint: 'abcd', key_problem: null })
    await server.call('DELETE /api/providers/claude')
  })
  it.each<Scenario>([
    put('openai', { api_key: '   ' }, refused('api_key')),
    put('openai', { api_key: 'two words' }, { ...refused('api_key'), forbidden: ['two words'] }),
    put('openai', { api_key: 'schlüssel' }, refused('api_key')),
    put('openai', { api_key: 'k\r\nx-evil: 1' }, { ...refused('api_key'), forbidden: ['evil'] }),
    put('openai', { api_key: 'x'.repeat(4097) }, { name: 'an endless key', ...refused('api_key') }),
    put('openai', { api_key: 7 }, refused('api_key')),
    put('openai', { key: 'sk-x' }, refused('key', 'Unknown parameter')),
    put(
      'mock',
      { api_key: 'sk-x-123456' },
      { ...refused('api_key', 'no address or key'), forbidden: ['sk-x-123456'] },
    ),
  ])('is refused: $name', (scenario) => watcher.run(scenario))
})
