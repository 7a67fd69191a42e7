import { describe, expect, it, vi } from 'vitest'
import { call, chat, gateway, hello, idOf, setUpGateway, totalOf } from './calls-support.ts'

setUpGateway()

describe('the end of a call', () => {
  it('is a cancelled run if the caller leaves, and the provider is told', async () => {
    gateway.models.plan({ fault: 'stall' })
    const controller = new AbortController()
    const reply = await call(chat, { body: { ...hello, stream: true }, signal: controller.signal })
    const reader = reply.body?.getReader()
    await reader?.read()
    const { disconnected } = await gateway.models.request(0)
    controller.abort()
    expect(await disconnected).toBe(true)
    expect(await gateway.run(idOf(reply))).toMatchObject({
      status: 'error',
      error_type: 'cancelled',
      ttft_ms: expect.any(Number),
    })
  })

  it('is a cancelled run if the caller leaves before the provider replies', async () => {
    gateway.models.plan({ fault: 'silent' })
    const before = await totalOf('&error_type=cancelled')
    const controller = new AbortController()
    const pending = call(chat, { signal: controller.signal }).catch(() => null)
    const { disconnected } = await gateway.models.request(0)
    controller.abort()
    await pending
    expect(await disconnected).toBe(true)
    await vi.waitFor(async () => expect(await totalOf('&error_type=cancelled')).toBe(before + 1), 20_000)
  })

  it('is a failed run if the provider drops the connection, and the caller notices', async () => {
    gateway.models.plan({ fault: 'drop' })
    const reply = await call(chat, { body: { ...hello, stream: true } })
    await expect(reply.text()).rejects.toThrow()
    expect(await gateway.run(idOf(reply))).toMatchObject({ status: 'error', error_type: 'unreachable' })
  })

  it('counts the output that arrived before the caller left, also if the provider has not', async () => {
    gateway.models.plan({ fault: 'stall', answer: { pieces: ['one two three four five six seven'] } })
    const controller = new AbortController()
    const reply = await call('/gateway/anthropic/v1/messages', {
      headers: { 'anthropic-version': '2023-06-01' },
      body: { ...hello, max_tokens: 99, stream: true },
      signal: controller.signal,
    })
    let text = ''
    for await (const chunk of reply.body ?? []) {
      text += Buffer.from(chunk).toString()
      if (text.includes('seven')) break
    }
    controller.abort()
    expect(await gateway.run(idOf(reply))).toMatchObject({
      error_type: 'cancelled',
      output_tokens: 7,
      tokens_estimated: true,
    })
  })

  it('waits for a slot of the provider', async () => {
    const { models, server } = gateway
    await server.call('PATCH /api/providers/openai', { body: { concurrency: 2 } })
    // Two calls have both slots until their callers leave.
    models.plan({ fault: 'stall' }, { fault: 'stall' })
    const callers = [new AbortController(), new AbortController()]
    const body = { ...hello, stream: true }
    const stalled = await Promise.all(callers.map(({ signal }) => call(chat, { body, signal })))
    const waiting = Array.from({ length: 6 }, () => call())
    // A call that is sent later, without a provider, has passed.
    expect((await call(chat, { body: { ...hello, model: 'mock-small' } })).status).toBe(200)
    expect(models.seen).toHaveLength(2)
    for (const caller of callers) caller.abort()
    const replies = await Promise.all(waiting)
    await server.call('PATCH /api/providers/openai', { body: { concurrency: null } })
    expect(replies.map(({ status }) => status)).toEqual(new Array(6).fill(200))
    for (const reply of [...stalled, ...replies]) await gateway.run(idOf(reply))
  })
})

describe('a raised concurrency limit', () => {
  it('also applies to the calls that wait already, before later ones', async () => {
    const { models, server } = gateway
    const limit = (concurrency: number | null) =>
      server.call('PATCH /api/providers/openai', { body: { concurrency } })
    await limit(1)
    models.plan({ fault: 'stall' })
    const caller = new AbortController()
    const stalled = await call(chat, { body: { ...hello, stream: true }, signal: caller.signal })
    const waiting = call()
    // Sent later, without a provider: the other call waits by then.
    await call(chat, { body: { ...hello, model: 'mock-small' } })
    await limit(2)
    expect((await call()).status).toBe(200)
    expect((await waiting).status).toBe(200)
    caller.abort()
    await limit(null)
    await gateway.run(idOf(stalled))
  })
})

describe('a service that stops', () => {
  it('logs calls in progress as interrupted, once', async () => {
    gateway.models.plan({ fault: 'stall' })
    const before = await totalOf('&error_type=interrupted')
    const reply = await call(chat, { body: { ...hello, stream: true } })
    await gateway.models.request(0)
    const ended = reply.text().catch(() => null)
    await gateway.server.restart()
    await ended
    expect(await totalOf('&error_type=interrupted')).toBe(before + 1)
    expect(await gateway.run(idOf(reply))).toMatchObject({ status: 'error', error_type: 'interrupted' })
  })
})
