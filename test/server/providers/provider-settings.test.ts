import { describe, expect, it } from 'vitest'
import type { Scenario } from '../../support/scenario.ts'
import { changed, get, lastEntry, put, refused, server, setUpService, watcher } from './providers-support.ts'

setUpService()

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
