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
beforeEach(() => server.forget())

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

describe('concurrency', () => {
  const many = (count: number, limit: number | null) => {
    const models = modelsAt(server.url, { concurrency: limit })
    return Promise.all(Array.from({ length: count }, () => outcome(models, name, request)))
  }

  it('is limited per provider, and all calls are served', async () => {
    server.always({ paceMs: 10 })
    const got = await many(9, 3)
    expect(got.map(({ text, error }) => [text, error])).toEqual(
      Array.from({ length: 9 }, () => ['You said: Hi world', null]),
    )
    expect(server.open.max).toBe(3)
  })

  it('is unlimited without a limit', async () => {
    server.always({ paceMs: 50 })
    expect((await many(9, null)).every(({ error }) => error === null)).toBe(true)
    expect(server.open.max).toBeGreaterThan(3)
  })

  it('is counted separately for each provider', async () => {
    const models = modelsAt(server.url, { concurrency: 1 })
    server.plan({ fault: 'silent' })
    const caller = new AbortController()
    const blocked = outcome(models, 'openai', requestOf('gpt-4o'), caller.signal)
    await server.request(0)
    expect((await outcome(models, name, request)).error).toBeNull()
    caller.abort()
    expect((await blocked).error?.type).toBe('cancelled')
  })

  it('serves calls in order; a call that leaves the queue does not delay others', async () => {
    const models = modelsAt(server.url, { concurrency: 1 })
    server.plan({ fault: 'silent' })
    const [first, second] = [new AbortController(), new AbortController()]
    const ask = (content: string, signal?: AbortSignal) =>
      outcome(models, name, requestOf('qwen3', { messages: [{ role: 'user', content }] }), signal)
    const calls = [ask('1', first.signal), ask('2', second.signal), ask('3'), ask('4')]
    await server.request(0)
    second.abort()
    expect((await calls[1])?.error?.type).toBe('cancelled')
    expect(server.seen.length).toBe(1)
    first.abort()
    expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(['', '', 'You said: 3', 'You said: 4'])
    expect(server.seen.map(({ body }) => JSON.stringify(body['messages']).match(/"(\d)"/)?.[1])).toEqual([
      '1',
      '3',
      '4',
    ])
  })

  it('serves principals round-robin: a caller with many calls does not delay one with few', async () => {
    const models = modelsAt(server.url, { concurrency: 1 })
    server.plan({ fault: 'silent' })
    const blocking = new AbortController()
    const ask = (principal: string, content: string, signal?: AbortSignal) =>
      outcome(models, name, requestOf('qwen3', { messages: [{ role: 'user', content }] }), signal, principal)
    const first = ask('user:many', 'm0', blocking.signal)
    await server.request(0)
    const calls = [1, 2, 3, 4].map((n) => ask('user:many', `m${n}`))
    calls.push(ask('user:few', 'f1'), ask('api_token:app', 'a1'), ask('user:few', 'f2'))
    blocking.abort()
    await Promise.all([first, ...calls])
    expect(server.seen.map(({ body }) => JSON.stringify(body['messages']).match(/"([mfa]\d)"/)?.[1])).toEqual(
      ['m0', 'm1', 'f1', 'a1', 'm2', 'f2', 'm3', 'm4'],
    )
  })

  it('limits waiting calls per principal and in total; further ones are refused immediately', async () => {
    const models = modelsAt(server.url, { concurrency: 1 }, { queue: { perPrincipal: 2, total: 3 } })
    server.plan({ fault: 'silent' })
    const [blocking, caller] = [new AbortController(), new AbortController()]
    const ask = (principal: string, signal?: AbortSignal) => outcome(models, name, request, signal, principal)
    const first = ask('user:many', blocking.signal)
    await server.request(0)
    const waiting = [ask('user:many', caller.signal), ask('user:many')]
    const refused = (await ask('user:many')).error
    expect([refused?.type, refused?.message]).toEqual([
      'rate_limited',
      expect.stringMatching(/^2 of your calls already wait/),
    ])
    const other = ask('user:few')
    expect((await ask('user:third')).error?.message).toMatch(/^3 calls already wait/)
    caller.abort()
    expect((await waiting[0])?.error?.type).toBe('cancelled')
    const third = ask('user:third')
    blocking.abort()
    await first
    expect((await Promise.all([waiting[1], other, third])).map((got) => got?.error)).toEqual([
      null,
      null,
      null,
    ])
    // The queue is empty: a call starts immediately.
    expect((await ask('user:many')).error).toBeNull()
  })

  it('frees the slot of a call that failed, was abandoned, or timed out in the queue', async () => {
    const models = modelsAt(server.url, { concurrency: 1 })
    server.plan({ status: 400 }, { fault: 'stall' }, { fault: 'silent' })
    expect((await outcome(models, name, request)).error?.type).toBe('bad_request')
    for await (const event of choice(models, name).generate(
      request,
      new AbortController().signal,
      'user:u-1',
    )) {
      expect(event.type).toBe('delta')
      break
    }
    const caller = new AbortController()
    const blocked = outcome(models, name, request, caller.signal)
    await server.request(2)
    const late = await outcome(models, name, { ...request, params: { timeout_ms: 100 } })
    expect(late.error?.type).toBe('timeout')
    caller.abort()
    await blocked
    expect((await outcome(models, name, request)).error).toBeNull()
    expect(server.seen.length).toBe(4)
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
