import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { createOutboundFetch } from '../../../server/outbound/fetch.ts'
import { OutboundRefused } from '../../../server/outbound/targets.ts'

const servers: Server[] = []
/** Starts a local server on a free port; returns the requests it received. */
async function serve(handle: RequestListener, host = '127.0.0.1') {
  const seen: { req: IncomingMessage; body: string }[] = []
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const chunk of req) body += chunk
    seen.push({ req, body })
    handle(req, res)
  })
  servers.push(server.listen(0, host))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { port, seen, url: `http://127.0.0.1:${port}` }
}
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

const local = createOutboundFetch({ isLocal: true })
/** Returns one list of addresses after the other, then repeats the last. */
function resolver(...answers: string[][]) {
  const lookups: string[] = []
  return {
    lookups,
    resolve: async (hostname: string) => {
      lookups.push(hostname)
      return (answers.length > 1 ? answers.shift() : answers[0]) ?? []
    },
  }
}
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

describe('a name', () => {
  it('is looked up once, and the connection uses the checked address', async () => {
    const { port, seen } = await serve((_req, res) => res.end('here'))
    // Rebinding: public when checked, internal at the next look-up.
    const names = resolver(['127.0.0.1'], ['169.254.169.254'])
    const get = createOutboundFetch({ isLocal: true, resolve: names.resolve })
    expect(await (await get(`http://gpu.lan:${port}/`)).text()).toBe('here')
    expect(names.lookups).toEqual(['gpu.lan'])
    expect(seen[0]?.req.headers.host).toBe(`gpu.lan:${port}`)
    // The next request looks the name up again, and is refused.
    await expect(get(`http://gpu.lan:${port}/`)).rejects.toBeInstanceOf(OutboundRefused)
    expect(seen).toHaveLength(1)
  })

  it('that becomes private is refused', async () => {
    const { port, seen } = await serve((_req, res) => res.end())
    const names = resolver(['127.0.0.1'])
    const get = createOutboundFetch({ isLocal: false, resolve: names.resolve })
    await expect(get(`https://api.example.com:${port}/`)).rejects.toThrow(
      /api\.example\.com \(127\.0\.0\.1\)/,
    )
    expect(seen).toEqual([])
  })

  it('with one forbidden address among allowed ones is refused', async () => {
    const names = resolver(['93.184.216.34', '::ffff:169.254.169.254'])
    const get = createOutboundFetch({ isLocal: false, resolve: names.resolve })
    await expect(get('https://api.example.com/')).rejects.toThrow(/is not allowed/)
    const nothing = createOutboundFetch({ isLocal: false, resolve: resolver([]).resolve })
    await expect(nothing('https://api.example.com/')).rejects.toThrow(/has no address/)
  })
})

describe('a redirect', () => {
  const redirectTo =
    (location: string, status = 302): RequestListener =>
    (_req, res) =>
      void res.writeHead(status, { location }).end()

  it('is followed on the same host with the same body and headers', async () => {
    const { url, seen } = await serve((req, res) => {
      if (req.url === '/old') res.writeHead(307, { location: '/new' }).end()
      else res.end('moved')
    })
    const reply = await local(`${url}/old`, {
      method: 'POST',
      body: 'x',
      headers: { authorization: 'Bearer k' },
    })
    expect([await reply.text(), reply.url]).toEqual(['moved', `${url}/new`])
    expect(seen[1]).toMatchObject({
      body: 'x',
      req: { method: 'POST', headers: { authorization: 'Bearer k' } },
    })
  })

  it('to another host removes credentials', async () => {
    const other = await serve((_req, res) => res.end('other'))
    const { url } = await serve(redirectTo(`${other.url}/`, 302))
    const headers = {
      authorization: 'Bearer canary',
      'x-api-key': 'canary',
      'x-goog-api-key': 'canary',
      'api-key': 'canary',
      cookie: 'canary',
      'x-anything': 'canary',
      'content-type': 'application/json',
    }
    await local(url, { method: 'POST', body: '{}', headers })
    const [{ req, body } = { req: null, body: '' }] = other.seen
    expect(JSON.stringify(req?.rawHeaders)).not.toContain('canary')
    expect([req?.headers['content-type'], req?.method, body]).toEqual([undefined, 'GET', ''])
  })

  it('to another host that would send the body is refused', async () => {
    const other = await serve((_req, res) => res.end('other'))
    for (const [status, method] of [
      [307, 'POST'],
      [308, 'POST'],
      [301, 'PUT'],
      [302, 'PATCH'],
    ] as const) {
      const { url } = await serve(redirectTo(`${other.url}/`, status))
      await expect(local(url, { method, body: 'secret' }), `${status} ${method}`).rejects.toThrow(
        /redirects to 127\.0\.0\.1:\d+, which must not receive the data meant for/,
      )
    }
    expect(other.seen).toEqual([])
    const { url } = await serve(redirectTo(`${other.url}/`, 307))
    expect(await (await local(url)).text()).toBe('other')
  })

  it('is checked like the first address', async () => {
    for (const [location, message] of [
      ['http://169.254.169.254/latest/meta-data/', /is not allowed/],
      ['http://[::ffff:a9fe:a9fe]/', /is not allowed/],
      ['file:///etc/passwd', /is not supported/],
      ['http://user:pass@127.0.0.1/', /must not contain a user name/],
      ['http://', /^Not a valid address/],
      ['https://93.184.216.34/', /is a public address/],
    ] as const) {
      const { url } = await serve(redirectTo(location))
      await expect(local(url), location).rejects.toThrow(message)
    }
  })

  it('changes a POST to a GET as the standard requires', async () => {
    for (const [status, method] of [
      [301, 'GET'],
      [302, 'GET'],
      [303, 'GET'],
      [307, 'POST'],
      [308, 'POST'],
    ] as const) {
      const { url, seen } = await serve((req, res) => {
        if (req.url === '/') res.writeHead(status, { location: '/next' }).end()
        else res.end()
      })
      await local(url, { method: 'POST', body: 'x' })
      expect([seen[1]?.req.method, seen[1]?.body], String(status)).toEqual([
        method,
        method === 'GET' ? '' : 'x',
      ])
    }
  })

  it('is followed at most three times', async () => {
    const { url, seen } = await serve((req, res) => {
      const hop = Number(req.url?.slice(1))
      if (hop === 3) res.end('there')
      else res.writeHead(302, { location: `/${hop + 1}` }).end()
    })
    expect(await (await local(`${url}/0`)).text()).toBe('there')
    await expect(local(`${url}/-1`)).rejects.toThrow(/more than 3 times/)
    expect(seen).toHaveLength(8)
  })
})
