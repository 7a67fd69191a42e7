import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ModelServer, startModelServer } from '../../support/model-server/server.ts'
import { choice, modelsAt, outcome, requestOf } from './models-support.ts'

let server: ModelServer
beforeAll(async () => {
  server = await startModelServer()
})
afterAll(() => server.close())
beforeEach(() => server.reset())

const request = requestOf('qwen3')
const name = 'openai-compatible'

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
