import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Scenario, type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

const addresses: Record<string, string[]> = {
  'api.openai.com': ['93.184.216.34'],
  'ai.example.com': ['93.184.216.34'],
  'inside.example.com': ['10.1.2.3'],
  'metadata.example.com': ['169.254.169.254'],
}
const resolve = async (hostname: string): Promise<string[]> => {
  const found = addresses[hostname]
  if (found === undefined) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
  return found
}

let server: TestServer
let watcher: Watcher
const tokens: Record<string, string> = {}
beforeAll(async () => {
  server = await startTestServer({ substitutes: { resolve } })
  for (const role of ['viewer', 'editor', 'admin'] as const) {
    tokens[role] = (await server.signedIn(role, role === 'admin' ? 'chief' : role)).token
  }
  watcher = await watch(server)
})
afterAll(async () => {
  await watcher.close()
  await server.close()
})

const as = (role: string) => () => tokens[role] ?? null
const put = (name: string, body: unknown, rest: Partial<Scenario> & { status: number }): Scenario => ({
  name: rest.name ?? String(JSON.stringify(body)).slice(0, 60),
  call: `PUT /api/providers/${name}`,
  token: as('admin'),
  body,
  ...rest,
})
const changed = (name: string, action = 'update') => ({
  status: 200,
  audit: [`chief ${action} provider ${name}`],
  frames: ['provider', 'audit'],
})
const refused = (field: string, message?: string) => ({
  status: 422,
  fields: [field],
  ...(message !== undefined && { reply: { errors: [{ message: expect.stringContaining(message) }] } }),
})
const get = async (name: string) => (await server.call(`GET /api/providers/${name}`)).body.data
const lastEntry = async () => {
  const { body } = await server.call('GET /api/audit?resource=provider&limit=1')
  return (await server.call(`GET /api/audit/${body.data[0].id}`)).body.data
}

describe('the providers', () => {
  it('are the six built-in ones', async () => {
    const { body } = await server.call('GET /api/providers')
    expect(body.data.map((provider: { name: string }) => provider.name)).toEqual([
      'mock',
      'openai',
      'claude',
      'gemini',
      'ollama',
      'openai-compatible',
    ])
    expect(body.total).toBe(6)
    expect(body.data[1]).toMatchObject({
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
    expect(body.data[1].prices).toContainEqual({
      model: 'gpt-4o',
      from: '2024-08-06',
      input_usd_per_million: 2.5,
      output_usd_per_million: 10,
    })
    expect(body.data[4]).toMatchObject({ local: true, configured: true, has_key: false })
    // Only an admin can declare an address on this network as intended.
    expect(body.data[5]).toMatchObject({ local: false, base_url: null, configured: false })
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
    watcher = await watch(server)
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

describe('an address', () => {
  it.each<Scenario>([
    put('openai', { base_url: 'https://127.0.0.1/v1' }, refused('base_url', 'marked as local')),
    put('openai', { base_url: 'https://inside.example.com/v1' }, refused('base_url', '10.1.2.3')),
    put('openai', { base_url: 'https://metadata.example.com' }, refused('base_url', 'is not allowed')),
    put('ollama', { base_url: 'http://metadata.example.com' }, refused('base_url', 'is not allowed')),
    put('ollama', { base_url: 'http://0xa9fea9fe/' }, refused('base_url', 'is not allowed')),
    put('ollama', { base_url: 'http://[::ffff:169.254.169.254]/' }, refused('base_url', 'is not allowed')),
    put('openai', { base_url: 'http://ai.example.com/v1' }, refused('base_url', 'http is not encrypted')),
    put(
      'openai',
      { base_url: 'https://me:canary@ai.example.com/' },
      {
        ...refused('base_url', 'must not contain a user name or password'),
        forbidden: ['canary'],
      },
    ),
    put(
      'openai',
      { base_url: 'https://ai.example.com/?key=canary' },
      { ...refused('base_url', 'must not contain ?'), forbidden: ['canary'] },
    ),
    put('openai', { base_url: 'https://ai.example.com/#x' }, refused('base_url')),
    put('openai', { base_url: 'ai.example.com' }, refused('base_url', 'use the form https://host/path')),
    put('openai', { base_url: 'javascript:alert(1)' }, refused('base_url')),
    put('openai', { local: true }, refused('local', 'is a public address')),
    put('ollama', { local: false }, refused('local', 'marked as local')),
    put('mock', { base_url: 'https://ai.example.com' }, refused('base_url', 'is built in')),
    put('mock', { local: false }, refused('local')),
  ])('is refused: $name', (scenario) => watcher.run(scenario))

  it('of another host removes the key, and the reply reports it', async () => {
    await server.call('PUT /api/providers/openai', { body: { api_key: 'sk-canary-for-openai' } })
    await watcher.run(
      put(
        'openai',
        { base_url: 'https://api.openai.com/v2/' },
        {
          ...changed('openai'),
          reply: {
            data: { base_url: 'https://api.openai.com/v2', has_key: true },
            key_dropped: false,
            message: null,
          },
        },
      ),
    )
    for (const base_url of ['https://ai.example.com/v1', 'https://ai.example.com:8443/v1', null]) {
      await server.call('PUT /api/providers/openai', { body: { api_key: 'sk-canary-for-openai' } })
      await watcher.run(
        put(
          'openai',
          { base_url },
          {
            ...changed('openai'),
            reply: {
              data: { has_key: false, key_hint: null, configured: false },
              key_dropped: true,
              message: expect.stringContaining('the key was deleted'),
            },
          },
        ),
      )
      expect((await lastEntry()).summary).toContain('deleted the key, because the host changed')
    }
  })

  it('of another host may include its own key', async () => {
    await watcher.run(
      put(
        'openai',
        { base_url: 'https://ai.example.com/v1', api_key: 'sk-canary-for-example' },
        {
          ...changed('openai'),
          reply: { data: { has_key: true, key_hint: 'mple' }, key_dropped: false },
        },
      ),
    )
    await watcher.run({
      ...put('openai', undefined, changed('openai', 'delete')),
      call: 'DELETE /api/providers/openai',
    })
    expect(await get('openai')).toMatchObject({
      base_url: 'https://api.openai.com/v1',
      has_key: false,
      updated_at: null,
    })
    await watcher.run({ ...put('openai', undefined, { status: 200 }), call: 'DELETE /api/providers/openai' })
  })
})

describe('other settings', () => {
  it.each<Scenario>([
    put('openai', {}, { status: 200 }),
    put(
      'openai',
      { enabled: true, local: false, base_url: 'https://api.openai.com/v1' },
      { name: 'an unchanged value', status: 200 },
    ),
    put(
      'gemini',
      { enabled: false },
      {
        ...changed('gemini'),
        reply: {
          data: { enabled: false, reason: 'Google Gemini is disabled; an admin can enable it.' },
        },
      },
    ),
    put('gemini', { enabled: null }, { ...changed('gemini'), reply: { data: { enabled: true } } }),
    put(
      'gemini',
      { models: ['b', ' a ', 'b'], default_model: 'a', concurrency: 3 },
      {
        ...changed('gemini'),
        reply: { data: { models: ['b', 'a'], default_model: 'a', concurrency: 3 } },
      },
    ),
    put('gemini', { models: ['b'] }, refused('default_model', 'a is not in its list of models')),
    put(
      'gemini',
      { models: ['b'], default_model: null },
      {
        ...changed('gemini'),
        reply: { data: { models: ['b'], default_model: 'b' } },
      },
    ),
    put('gemini', { models: null, concurrency: null }, changed('gemini')),
    put('gemini', { models: [''] }, refused('models.0')),
    put('gemini', { models: 'gemini' }, refused('models')),
    put('gemini', { concurrency: 0 }, refused('concurrency')),
    put('gemini', { concurrency: 1001 }, refused('concurrency')),
    put('gemini', { enabled: 'yes' }, refused('enabled')),
    put('gemini', { name: 'x' }, refused('name')),
    put('gemini', { has_key: true }, refused('has_key')),
    put(
      'openai-compatible',
      { base_url: 'http://127.0.0.1:1234/v1', local: true },
      {
        ...changed('openai-compatible'),
        call: 'PATCH /api/providers/openai-compatible',
        reply: { data: { configured: true, local: true } },
      },
    ),
  ])('$name', (scenario) => watcher.run(scenario))

  it('stores its prices in the price table of the settings', async () => {
    const price = { model: 'own*', from: '2026-01-01', input_usd_per_million: 1, output_usd_per_million: 2 }
    await watcher.run(
      put(
        'gemini',
        { prices: [price] },
        {
          ...changed('gemini'),
          frames: ['provider', 'setting', 'audit'],
          reply: { data: { prices: [price] } },
        },
      ),
    )
    expect(await lastEntry()).toMatchObject({
      summary: 'Changed prices of the provider Google Gemini',
      after: { prices: [price] },
    })
    const { prices } = (await server.call('GET /api/settings')).body.data
    expect(prices.filter(({ provider }: { provider: string }) => provider === 'gemini')).toEqual([
      { provider: 'gemini', ...price },
    ])
    expect(prices.some(({ provider }: { provider: string }) => provider === 'google')).toBe(true)
    await watcher.run(put('gemini', { prices: [price] }, { status: 200 }))
    await watcher.run(put('gemini', { prices: [price, price] }, refused('prices.1')))
    await watcher.run(
      put('gemini', { prices: [{ ...price, provider: 'openai' }] }, refused('prices.0.provider')),
    )
    // Prices also apply to reported runs, so they remain after the deletion.
    await server.call('DELETE /api/providers/gemini')
    expect((await get('gemini')).prices).toEqual([price])
    await server.call('PUT /api/providers/gemini', { body: { prices: null } })
    expect((await get('gemini')).prices.length).toBeGreaterThan(3)
  })

  it('applies two concurrent changes one after the other', async () => {
    const both = await Promise.all([
      server.call('PUT /api/providers/claude', { body: { concurrency: 5 } }),
      server.call('PUT /api/providers/claude', { body: { api_key: 'sk-ant-at-once' } }),
    ])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(await get('claude')).toMatchObject({ concurrency: 5, has_key: true })
  })
})
