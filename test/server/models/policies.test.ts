import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ModelError } from '../../../server/models/model.ts'
import { sleep } from '../../../server/models/policies/sleep.ts'
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts'
import { choice, key, modelsAt, outcome, requestOf } from './models-support.ts'

let server: ModelServer
beforeAll(async () => {
  server = await startModelServer()
})
afterAll(() => server.close())
beforeEach(() => server.reset())

const request = requestOf('qwen3')
const name = 'openai-compatible'

describe('a retry', () => {
  const waits: number[] = []
  const recordWait = (ms: number) => {
    waits.push(ms)
    return Promise.resolve()
  }
  const run = (random = 0) =>
    outcome(modelsAt(server.url, {}, { sleep: recordWait, random: () => random }), name, request)
  beforeEach(() => {
    waits.length = 0
  })

  it.each([
    [0, [250, 500]],
    [0.5, [375, 750]],
    [1, [500, 1000]],
  ])('waits longer each time, partly random (%d)', async (random, expected) => {
    server.always({ status: 503 })
    expect((await run(random)).error?.type).toBe('provider_error')
    expect(waits).toEqual(expected)
  })

  it.each([
    ['in seconds', { 'retry-after': '3' }, 3000],
    ['in milliseconds', { 'retry-after-ms': '1500', 'retry-after': '2' }, 1500],
    ['shorter than the default pause', { 'retry-after': '0' }, 250],
    ['in an unknown format', { 'retry-after': 'soon' }, 250],
    ['equal to the maximum wait', { 'retry-after': '20' }, 20_000],
  ])('waits as long as requested: %s', async (_, headers, expected) => {
    server.plan({ status: 429, headers })
    expect((await run()).text).toBe('You said: Hi world')
    expect(waits).toEqual([expected])
  })

  it('waits until a date', async () => {
    server.plan({ status: 429, headers: { 'retry-after': new Date(Date.now() + 9000).toUTCString() } })
    expect((await run()).error).toBeNull()
    expect(waits[0]).toBeGreaterThan(7000)
    expect(waits[0]).toBeLessThanOrEqual(9000)
  })

  it('does not wait longer than 20 s, and reports the requested wait', async () => {
    server.always({ status: 429, headers: { 'retry-after': '3600' } })
    expect((await run()).error).toMatchObject({ type: 'rate_limited', retryAfterMs: 3_600_000 })
    expect(waits).toEqual([])
  })

  it('is not made after part of the reply arrived', async () => {
    server.always({ fault: 'drop' })
    expect(await run()).toMatchObject({ text: 'You ', error: { type: 'unreachable' } })
    expect(server.seen.length).toBe(1)
  })

  it('is not made for a caller that disconnected during the wait', async () => {
    server.always({ status: 503 })
    const caller = new AbortController()
    const pausing = (ms: number, signal: AbortSignal) => {
      caller.abort()
      return sleep(ms, signal)
    }
    const got = await outcome(modelsAt(server.url, {}, { sleep: pausing }), name, request, caller.signal)
    expect(got.error?.type).toBe('cancelled')
    expect(server.seen.length).toBe(1)
  })
})

describe('timeouts', () => {
  it('include the attempts and the waits between them', async () => {
    server.always({ status: 503 })
    const models = modelsAt(server.url, {}, { sleep })
    const got = await outcome(models, name, { ...request, params: { timeout_ms: 100 } })
    expect(got.error).toMatchObject({ type: 'timeout', message: 'No complete response within 0.1 s' })
    expect(server.seen.length).toBe(1)
  })

  it('have a default', async () => {
    server.plan({ fault: 'silent' })
    // Long enough for the request to reach the server on a busy machine.
    const got = await outcome(modelsAt(server.url, {}, { timeoutMs: 1000 }), name, request)
    expect(got.error?.type).toBe('timeout')
    expect(await (await server.request(0)).disconnected).toBe(true)
  })

  it('end a slow reply that never stalls', async () => {
    const pieces = Array.from({ length: 500 }, () => 'more ')
    server.plan({ paceMs: 20, answer: { pieces } })
    const got = await outcome(modelsAt(server.url, {}, { stallMs: 1000 }), name, {
      ...request,
      params: { timeout_ms: 200 },
    })
    expect(got.error?.type).toBe('timeout')
    expect(got.deltas).toBeGreaterThan(1)
  })

  it('do not end a slow reply while data arrives', async () => {
    server.plan({ paceMs: 60 })
    const got = await outcome(modelsAt(server.url, {}, { stallMs: 250 }), name, request)
    expect(got).toMatchObject({ text: 'You said: Hi world', error: null })
  })

  it('do not treat a slow reader as a stalled provider', async () => {
    const models = modelsAt(server.url, {}, { stallMs: 100 })
    let text = ''
    for await (const event of choice(models, name).generate(
      request,
      new AbortController().signal,
      'user:u-1',
    )) {
      if (event.type === 'delta') text += event.text
      await sleep(150, new AbortController().signal)
    }
    expect(text).toBe('You said: Hi world')
  })
})

describe('settings', () => {
  it.each([
    ['openai', { isEnabled: false }, 'OpenAI is disabled; an admin can enable it'],
    ['openai', { hasKey: false }, 'OpenAI has no API key; an admin must set it'],
    ['openai-compatible', { baseUrl: null }, 'OpenAI-compatible has no address; an admin must set it'],
    ['mock', { isEnabled: false }, 'Mock (offline) is disabled; an admin can enable it'],
  ])('%s with %o cannot be called', async (provider, change, message) => {
    const models = modelsAt(server.url, change)
    expect(choice(models, provider).isConfigured).toBe(false)
    expect((await outcome(models, provider, request)).error).toMatchObject({
      type: 'not_configured',
      message,
    })
    expect(server.seen).toEqual([])
  })

  it.each([
    ['ollama', { hasKey: false }],
    ['openai-compatible', { hasKey: false }],
    ['mock', { hasKey: false, baseUrl: null }],
  ])('%s needs no key', async (provider, change) => {
    const models = modelsAt(server.url, change)
    expect(choice(models, provider).isConfigured).toBe(true)
    expect((await outcome(models, provider, request)).error).toBeNull()
    expect(server.seen[0]?.headers['authorization']).toBeUndefined()
  })

  it('never falls back to a key or an address from the environment', async () => {
    process.env['OPENAI_API_KEY'] = 'sk-of-the-environment'
    process.env['OPENAI_BASE_URL'] = 'http://127.0.0.1:9'
    try {
      const models = modelsAt(server.url, { key: () => null })
      const got = await outcome(models, 'openai', request)
      expect(got.error).toMatchObject({ type: 'not_configured' })
      expect((await outcome(modelsAt(server.url), 'openai', request)).error).toBeNull()
      expect(server.seen.map(({ headers }) => headers['authorization'])).toEqual([`Bearer ${key}`])
    } finally {
      delete process.env['OPENAI_API_KEY']
      delete process.env['OPENAI_BASE_URL']
    }
  })

  it('reads the key at each attempt', async () => {
    let attempts = 0
    const models = modelsAt(server.url, { key: () => `key-${++attempts}` })
    server.plan({ status: 503 })
    await outcome(models, name, request)
    await outcome(models, name, request)
    expect(server.seen.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer key-1',
      'Bearer key-2',
      'Bearer key-3',
    ])
  })

  it('finds the mock, and no provider of another name', () => {
    const models = modelsAt(server.url)
    expect(choice(models, 'mock')).toMatchObject({ name: 'mock', defaultModel: 'mock-small' })
    expect(models.find('OpenAI')).toBeNull()
    expect(models.find('__proto__')).toBeNull()
  })

  it.each(['openai', 'claude', 'gemini', 'ollama', 'openai-compatible'])(
    '%s: a refusal by the guard reaches the caller, and is not retried',
    async (provider) => {
      let attempts = 0
      const guarded = () => {
        attempts += 1
        return Promise.reject(new ModelError('host_refused', 'This address is refused'))
      }
      const got = await outcome(modelsAt(server.url, {}, { fetchOf: () => guarded }), provider, request)
      expect(got.error).toMatchObject({ type: 'host_refused', message: 'This address is refused' })
      expect(attempts).toBe(1)
    },
  )
})
