import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createOutboundFetch } from '../../../server/outbound/fetch.ts'
import { OutboundRefused } from '../../../server/outbound/targets.ts'
import { closeServersAfterEach, local, serve } from './outbound-support.ts'

closeServersAfterEach()

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
