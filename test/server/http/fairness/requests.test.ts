import { describe, expect, it } from 'vitest'
import { createRateLimit } from '../../../../server/http/limits/rate-limit.ts'
import { Problem } from '../../../../server/lib/fail.ts'
import { bare } from '../../../support/bare.ts'
import { openEvents } from '../../../support/events.ts'
import { serviceToken } from '../../../support/service.ts'
import { closeAfterEach, start } from './fairness-support.ts'

closeAfterEach()

describe('requests per principal', () => {
  it('are 429 beyond the quota, with rate limit headers; other principals are not affected', async () => {
    const service = await start({ REQUESTS_PER_MINUTE: '30' })
    const { token } = await service.signedIn('viewer')
    const many = (count: number, what: string) =>
      Promise.all(Array.from({ length: count }, () => service.call(what, { token })))
    const [first] = await many(1, 'GET /api/workspaces')
    expect(first?.status).toBe(200)
    expect(first?.headers.get('ratelimit-policy')).toBe('"requests";q=30;w=60')
    expect(first?.headers.get('ratelimit')).toMatch(/^"requests";r=29;t=\d+$/)
    const replies = await many(60, 'GET /api/workspaces')
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(29)
    const last = replies.find(({ status }) => status === 429)
    expect(last?.body).toMatchObject({ code: 'rate_limited', retry_after: expect.any(Number) })
    expect(last?.body.detail).toMatch(/30 requests per minute/)
    const retryAfter = Number(last?.headers.get('retry-after'))
    expect(retryAfter).toBeGreaterThanOrEqual(1)
    expect(retryAfter).toBeLessThanOrEqual(2)
    expect(last?.headers.get('ratelimit')).toMatch(/r=0;t=\d+$/)
    expect((await service.call('GET /api/workspaces')).status).toBe(200)
    // One quota per user over all sessions and routes, including unknown ones.
    expect((await many(30, 'GET /api/nothing')).map(({ status }) => status)).toContain(429)
  })

  it('without a principal are counted by address: that forwarded by a trusted proxy, never loopback', async () => {
    const service = await start({ REQUESTS_PER_MINUTE: '10', TRUSTED_PROXIES: '127.0.0.1' })
    const { host } = new URL(service.url)
    const ask = (address: string | null) =>
      bare(service.url, '/api/me', {
        host,
        authorization: 'Bearer nobody',
        ...(address !== null && { 'x-forwarded-for': address }),
      })
    const statuses = []
    for (let n = 0; n < 12; n += 1) statuses.push((await ask('192.0.2.1')).status)
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(401))
    expect(statuses.at(-1)).toBe(429)
    expect((await ask('192.0.2.2')).status).toBe(401)
    for (let n = 0; n < 12; n += 1) expect((await ask(null)).status).toBe(401)
  })

  it('recover with time, and the number of remembered callers is bounded', () => {
    let now = 0
    const limit = createRateLimit({ perMinute: 60, now: () => now, maxRemembered: 2 })
    const count = (caller: string) => {
      const headers = new Map<string, string>()
      try {
        limit.count(caller, { setHeader: (name, value) => headers.set(name, value) })
        return headers.get('ratelimit')
      } catch (error) {
        return error instanceof Problem ? error.extra.retryAfter : error
      }
    }
    for (let n = 59; n >= 0; n -= 1) expect(count('a')).toBe(`"requests";r=${n};t=${60 - n}`)
    expect(count('a')).toBe(1)
    now = 999
    expect(count('a')).toBe(1)
    now = 1000
    expect(count('a')).toBe('"requests";r=0;t=60')
    now = 4000
    expect(count('a')).toBe('"requests";r=2;t=58')
    now = 1_000_000
    expect(count('a')).toBe('"requests";r=59;t=1')
    for (const caller of ['b', 'c', 'd']) expect(count(caller)).toMatch(/r=59/)
    // Its count was removed from memory, so its quota is full again.
    expect(count('b')).toMatch(/r=59/)
  })
})

describe('event streams of a principal', () => {
  it('are 429 beyond the limit; other principals have their own, and an ended stream frees a slot', async () => {
    const service = await start({ EVENT_STREAMS_PER_PRINCIPAL: '2' })
    const { token } = await service.signedIn('editor')
    const body = {
      content: 'x',
      variables: {},
      provider: 'mock',
      params: { mock: { first_token_ms: 60_000 } },
      stream: true,
    }
    const controllers = [new AbortController(), new AbortController(), new AbortController()]
    const open = (bearer: string, index: number) => {
      const signal = controllers[index]?.signal
      return openEvents(service, '/api/playground/run', body, { token: bearer, ...(signal && { signal }) })
    }
    const opened = [await open(token, 0), await open(token, 1)]
    expect(opened.map(({ response }) => response.status)).toEqual([200, 200])
    const refusedReply = await service.call('POST /api/playground/run', { token, body })
    expect(refusedReply.status).toBe(429)
    expect(refusedReply.body).toMatchObject({ code: 'rate_limited', retry_after: 5 })
    expect(refusedReply.body.detail).toMatch(/2 open event streams/)
    expect((await open(serviceToken, 2)).response.status).toBe(200)
    const quick = { ...body, params: {} }
    // Without events it is not a stream.
    expect(
      (await service.call('POST /api/playground/run', { token, body: { ...quick, stream: false } })).status,
    ).toBe(200)
    controllers[0]?.abort()
    await expect
      .poll(async () => (await service.call('POST /api/playground/run', { token, body: quick })).status, {
        timeout: 15_000,
      })
      .toBe(200)
    for (const controller of controllers) controller.abort()
  })
})

describe('slots of a provider', () => {
  it('are shared fairly between principals, and each queue is bounded', async () => {
    const service = await start({ PROVIDER_QUEUE_PER_PRINCIPAL: '3' })
    expect((await service.call('PUT /api/providers/mock', { body: { concurrency: 1 } })).status).toBe(200)
    const { token } = await service.signedIn('editor')
    const order: string[] = []
    const run = async (bearer: string, name: string, ms: number, signal?: AbortSignal) => {
      const reply = await fetch(`${service.url}/api/playground/run`, {
        method: 'POST',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          content: name,
          variables: {},
          provider: 'mock',
          params: { mock: { first_token_ms: ms } },
        }),
        ...(signal && { signal }),
      })
      order.push(name)
      return { status: reply.status, body: await reply.json() }
    }
    const blocking = new AbortController()
    const blocked = run(serviceToken, 'first', 60_000, blocking.signal).catch(() => null)
    const waiting = async (count: number) =>
      expect
        .poll(async () =>
          Number(/^promptdeck_provider_queue (\d+)/m.exec((await service.call('GET /metrics')).text)?.[1]),
        )
        .toBe(count)
    await expect
      .poll(async () => /^promptdeck_provider_calls 1$/m.test((await service.call('GET /metrics')).text))
      .toBe(true)
    const many: ReturnType<typeof run>[] = []
    for (const n of [1, 2, 3]) {
      many.push(run(serviceToken, `many ${n}`, 1))
      await waiting(n)
    }
    const full = await run(serviceToken, 'full', 1)
    expect(full).toMatchObject({ status: 429, body: { code: 'rate_limited', retry_after: 5 } })
    expect(full.body.detail).toMatch(/3 of your calls already wait/)
    const few = run(token, 'few', 1)
    await waiting(4)
    blocking.abort()
    await blocked
    const done = await Promise.all([...many, few])
    expect(done.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(order.filter((name) => name !== 'full')).toEqual(['many 1', 'few', 'many 2', 'many 3'])
    await waiting(0)
  })
})
