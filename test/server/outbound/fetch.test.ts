import { once } from 'node:events'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createOutboundFetch } from '../../../server/outbound/fetch.ts'
import { closeServersAfterEach, local, serve, servers } from './outbound-support.ts'

closeServersAfterEach()

const causeOf = (error: unknown) => (error instanceof Error ? error.cause : undefined)

describe('a request', () => {
  it('is sent unchanged, and its reply is streamed', async () => {
    let finish: () => void = () => {}
    const { url, seen } = await serve((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream', 'x-one': '1' })
      res.write('data: first\n\n')
      finish = () => res.end('data: second\n\n')
    })
    const reply = await local(`${url}/v1/chat?x=1`, {
      method: 'POST',
      headers: { authorization: 'Bearer abc', 'content-type': 'application/json' },
      body: '{"ü":1}',
    })
    expect([reply.status, reply.headers.get('x-one'), reply.url]).toEqual([200, '1', `${url}/v1/chat?x=1`])
    const reader = reply.body?.getReader()
    const first = await reader?.read()
    expect(new TextDecoder().decode(first?.value)).toBe('data: first\n\n')
    finish()
    const second = await reader?.read()
    expect(new TextDecoder().decode(second?.value)).toBe('data: second\n\n')
    expect((await reader?.read())?.done).toBe(true)
    expect(seen[0]?.body).toBe('{"ü":1}')
    expect(seen[0]?.req).toMatchObject({ method: 'POST', url: '/v1/chat?x=1' })
    expect(seen[0]?.req.headers).toMatchObject({
      authorization: 'Bearer abc',
      'content-length': '8',
      'accept-encoding': 'identity',
      host: new URL(url).host,
    })
  })

  it('accepts a stream, and a Request', async () => {
    const { url, seen } = await serve((_req, res) => res.end('ok'))
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('part one, '))
        controller.enqueue(new TextEncoder().encode('part two'))
        controller.close()
      },
    })
    const init = { method: 'PUT', body: stream, duplex: 'half' } as RequestInit
    expect(await (await local(new Request(url, init))).text()).toBe('ok')
    expect(seen[0]).toMatchObject({ body: 'part one, part two', req: { method: 'PUT' } })
  })

  it('decodes unrequested compression', async () => {
    const { url } = await serve((_req, res) => {
      res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello'))
    })
    const reply = await local(url)
    expect(await reply.text()).toBe('hello')
    expect(reply.headers.get('content-encoding')).toBeNull()
  })

  it('handles a status without a body, and an error status with one', async () => {
    const { url } = await serve((req, res) => {
      res
        .writeHead(req.url === '/none' ? 204 : 429, { 'retry-after': '7' })
        .end(req.url === '/none' ? '' : 'slow')
    })
    expect((await local(`${url}/none`)).status).toBe(204)
    const refused = await local(url)
    expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([
      429,
      '7',
      'slow',
    ])
  })

  it('ends with its signal, before the reply and in the middle of it', async () => {
    const closed: Promise<unknown>[] = []
    const { url } = await serve((req, res) => {
      closed.push(once(res, 'close'))
      if (req.url === '/streams') res.write('begin')
    })
    const waiting = new AbortController()
    const unanswered = local(url, { signal: waiting.signal })
    await expect.poll(() => closed.length).toBe(1)
    waiting.abort()
    await expect(unanswered).rejects.toMatchObject({ name: 'AbortError' })
    const reading = new AbortController()
    const reply = await local(`${url}/streams`, { signal: reading.signal })
    const reader = reply.body?.getReader()
    await reader?.read()
    reading.abort()
    await expect(reader?.read()).rejects.toMatchObject({ name: 'AbortError' })
    // The connection is closed, so that the provider stops working on the request.
    await Promise.all(closed)
    expect(closed).toHaveLength(2)
    await expect(local(url, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('fails like fetch without a listener, and when the connection is lost', async () => {
    const { url, port } = await serve((_req, res) => {
      res.writeHead(200, { 'content-length': '100' })
      res.write('half')
      res.socket?.destroy()
    })
    const broken = await local(url).then(
      (reply) => reply.text(),
      (error: unknown) => error,
    )
    expect(broken).not.toBe('half')
    await expect(local(url).then((reply) => reply.text())).rejects.toThrow()
    const server = servers.pop()
    server?.closeAllConnections()
    await new Promise((resolve) => server?.close(resolve))
    const error = await local(`http://127.0.0.1:${port}`).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(TypeError)
    expect(causeOf(error)).toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('is limited: slow headers, a hanging look-up, an endless reply', async () => {
    const { url } = await serve((req, res) => {
      if (req.url === '/endless') res.end(Buffer.alloc(5000))
    })
    const slow = createOutboundFetch({ isLocal: true, headerLimitMs: 50 })
    expect(causeOf(await slow(url).catch((error: unknown) => error))).toMatchObject({ code: 'ETIMEDOUT' })
    const unresolved = createOutboundFetch({
      isLocal: true,
      connectLimitMs: 50,
      resolve: () => new Promise(() => {}),
    })
    const late = await unresolved('http://gpu.lan/').catch((error: unknown) => error)
    expect(causeOf(late)).toMatchObject({ code: 'ETIMEDOUT' })
    const small = createOutboundFetch({ isLocal: true, maxReplyBytes: 4999 })
    await expect(small(`${url}/endless`).then((reply) => reply.text())).rejects.toThrow(/larger than 4999/)
    const enough = createOutboundFetch({ isLocal: true, maxReplyBytes: 5000 })
    expect((await (await enough(`${url}/endless`)).arrayBuffer()).byteLength).toBe(5000)
  })

  it('keeps no connection of a reply that is refused, or that has no body', async () => {
    for (const [status, encoding] of [
      [999, 'identity'],
      [200, 'zstd'],
      [205, 'identity'],
    ] as const) {
      let closed: Promise<unknown> = Promise.resolve()
      const { url } = await serve((_req, res) => {
        closed = once(res, 'close')
        // The body never ends.
        res.writeHead(status, { 'content-encoding': encoding, 'content-length': '9' }).write('half')
      })
      const reply = await local(url).catch(() => null)
      expect(reply?.status ?? null).toBe(status === 205 ? 205 : null)
      await closed
    }
  })

  it('fails if the server switches to another protocol', async () => {
    const { url } = await serve((_req, res) => {
      res.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
    })
    await expect(local(url)).rejects.toThrow(/replied 101/)
  })

  it('uses no proxy', async () => {
    const { url } = await serve((_req, res) => res.end('direct'))
    const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']
    const before = names.map((name) => process.env[name])
    for (const name of names) process.env[name] = 'http://127.0.0.1:1'
    try {
      expect(await (await local(url)).text()).toBe('direct')
    } finally {
      for (const [index, name] of names.entries()) {
        const value = before[index]
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    }
  })
})
