import { createServer, type RequestListener } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { type Loopback, listen } from '../../support/http/loopback.ts'
import { resolverOf } from '../../support/lan/resolver.ts'
import { server, setUpWatched, watcher } from '../file-service.ts'

const addresses: Record<string, string[]> = {}

setUpWatched(undefined, { substitutes: { resolve: resolverOf(addresses) } })

describe('a test of the connection', () => {
  const servers: Loopback[] = []
  const serve = async (handle: RequestListener) => {
    const created = await listen(createServer(handle))
    servers.push(created)
    return created.url
  }
  afterAll(() => Promise.all(servers.map(({ close }) => close())))
  const key = 'sk-canary-of-the-test-9876'
  const setUp = async (name: string, base_url: string) => {
    const reply = await server.call(`PUT /api/providers/${name}`, {
      body: { base_url, local: true, api_key: key },
    })
    expect(reply.status).toBe(200)
  }
  const test = async (name: string) => {
    const { result, audit, frames } = await watcher.during(() =>
      server.call(`POST /api/providers/${name}/test`),
    )
    expect([result.status, audit, frames]).toEqual([200, [], []])
    expect(result.text).not.toContain(key)
    return result.body.data
  }

  it('calls each provider with its protocol and key', async () => {
    const seen: { url: string | undefined; headers: object }[] = []
    const url = await serve((req, res) => {
      seen.push({ url: req.url, headers: req.headers })
      res.setHeader('content-type', 'application/json')
      if (req.url === '/api/tags') res.end(JSON.stringify({ models: [{ name: 'llama3:8b' }] }))
      else if (req.url === '/models?pageSize=200')
        res.end(
          JSON.stringify({
            models: [
              { name: 'models/gemini-x', supportedGenerationMethods: ['generateContent'] },
              { name: 'models/embed', supportedGenerationMethods: ['embedContent'] },
            ],
          }),
        )
      else
        res.end(
          JSON.stringify({
            data: [{ id: 'one' }, { id: 'two' }, { id: 'two' }, { id: `echo ${key}` }, { id: key }],
          }),
        )
    })
    for (const [name, header, value, models] of [
      ['openai', 'authorization', `Bearer ${key}`, ['one', 'two']],
      ['openai-compatible', 'authorization', `Bearer ${key}`, ['one', 'two']],
      ['claude', 'x-api-key', key, ['one', 'two']],
      ['gemini', 'x-goog-api-key', key, ['gemini-x']],
      ['ollama', 'authorization', `Bearer ${key}`, ['llama3:8b']],
    ] as const) {
      await setUp(name, url)
      expect(await test(name), name).toMatchObject({ ok: true, error_type: null, status: 200, models })
      expect(seen.at(-1)?.headers).toMatchObject({ [header]: value })
      expect(seen.at(-1)?.url).not.toContain(key)
    }
    expect(await test('mock')).toMatchObject({ ok: true, models: ['mock-small', 'mock-large'] })
  })

  it("reports the problem, never in the provider's words", async () => {
    let status = 401
    const url = await serve((_req, res) => {
      res.writeHead(status).end(JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } }))
    })
    await setUp('openai', url)
    for (const [code, type] of [
      [401, 'unauthorized'],
      [403, 'unauthorized'],
      [400, 'bad_request'],
      [404, 'bad_request'],
      [429, 'rate_limited'],
      [500, 'provider_error'],
      [200, 'malformed'],
    ] as const) {
      status = code
      expect(await test('openai')).toMatchObject({ ok: false, error_type: type, status: code, models: [] })
    }
    const closing = await serve((_req, res) => res.destroy())
    await setUp('openai', closing)
    expect(await test('openai')).toMatchObject({ ok: false, error_type: 'unreachable', status: null })
    await setUp('openai', 'http://127.0.0.1:1')
    expect(await test('openai')).toMatchObject({
      error_type: 'unreachable',
      message: 'Connection refused. Check the address, and that the provider is running.',
    })
    await setUp('openai', 'http://nowhere.example')
    expect(await test('openai')).toMatchObject({
      error_type: 'unreachable',
      message: 'The host was not found. Check the address.',
    })
    const redirecting = await serve((_req, res) =>
      res.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    )
    await setUp('openai', redirecting)
    expect(await test('openai')).toMatchObject({ error_type: 'host_refused' })
    await server.call('DELETE /api/providers/openai')
    expect(await test('openai')).toMatchObject({ ok: false, error_type: 'not_configured' })
  })

  it('is checked by the guard, although the address was allowed when it was saved', async () => {
    addresses['moving.example.com'] = ['93.184.216.34']
    const base_url = 'https://moving.example.com/v1'
    await server.call('PUT /api/providers/openai', { body: { base_url, api_key: key } })
    addresses['moving.example.com'] = ['127.0.0.1']
    expect(await test('openai')).toMatchObject({ ok: false, error_type: 'host_refused' })
    addresses['moving.example.com'] = ['169.254.169.254']
    expect((await test('openai')).message).toContain('is not allowed')
  })
})
