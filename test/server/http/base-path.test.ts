import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { readConfig } from '../../../server/config.ts'
import { withoutBasePath } from '../../../server/lib/text/base-path.ts'
import { bare } from '../../support/bare.ts'
import { serviceToken, startTestServer, type TestServer } from '../../support/service.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({
    env: {
      BASE_PATH: '/tools/deck/',
      PUBLIC_URL: 'https://prompts.example.com/tools/deck',
      TRUSTED_PROXIES: '127.0.0.1',
    },
  })
})
afterAll(() => server.close())

const get = (path: string, headers: Record<string, string> = {}) => bare(server.url, path, headers)

describe('the base path', () => {
  it.each(['/tools/deck', ''])('serves the same with %j in front', async (prefix) => {
    expect((await get(`${prefix}/health`)).status).toBe(200)
    const me = await get(`${prefix}/api/me`, { authorization: `Bearer ${serviceToken}` })
    expect(me.status).toBe(200)
    expect((await get(`${prefix}/api/me`)).status).toBe(401)
    expect((await get(`${prefix}/mcp`)).status).toBe(401)
    expect((await get(`${prefix}/v1/traces`)).status).toBe(401)
    expect((await get(`${prefix}/gateway/openai/v1/models`)).status).toBe(401)
    const models = await get(`${prefix}/gateway/openai/v1/models`, {
      authorization: `Bearer ${serviceToken}`,
    })
    expect(JSON.parse(models.text).data).toContainEqual(expect.objectContaining({ id: 'mock-small' }))
    expect((await get(`${prefix}/api/sdk/prompts?env=prod`)).status).toBe(401)
  })

  it.each(['/tools/deck', '/tools/deck/', '/tools/deck/runs/12?x=1', '/', '/runs'])(
    'is in front of every address of the page %s',
    async (path) => {
      const page = await get(path)
      expect(page.status).toBe(200)
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(page.text).toContain('<meta name="base-path" content="/tools/deck" />')
      const addresses = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address)
      expect(addresses.length).toBeGreaterThan(5)
      for (const address of addresses) expect(address).toMatch(/^\/tools\/deck\//)
      for (const address of addresses) expect((await get(address)).status).toBe(200)
    },
  )

  it('is the server of the OpenAPI description, and in the links of the documentation', async () => {
    expect(JSON.parse((await get('/tools/deck/openapi.json')).text).servers).toEqual([{ url: '/tools/deck' }])
    expect((await get('/tools/deck/docs')).text).toContain('href="/tools/deck/openapi.json"')
  })

  it('is accepted by the live connection', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/tools/deck/ws`, {
      headers: { authorization: `Bearer ${serviceToken}` },
    })
    const frame = await new Promise<string>((resolve, reject) => {
      socket.on('message', (data) => resolve(String(data)))
      socket.on('error', reject)
    })
    expect(JSON.parse(frame)).toMatchObject({ type: 'hello' })
    socket.close()
  })

  it.each([
    ['/tools/deckx/health', '/tools/deckx/health'],
    ['/tools/deck/tools/deck/health', '/tools/deck/health'],
    ['/tools/deck?a=1', '/?a=1'],
    ['/tools/deck//evil.example', '//evil.example'],
    ['/Tools/deck/health', '/Tools/deck/health'],
  ])('turns %s into %s', (target, path) => {
    expect(withoutBasePath(target, '/tools/deck')).toBe(path)
  })
})

describe('headers of proxies', () => {
  const forwarded = { 'x-forwarded-host': 'prompts.example.com', 'x-forwarded-proto': 'https' }

  it.each([
    ['the public address', { host: 'prompts.example.com', origin: 'https://prompts.example.com' }, 200],
    ['a Host that the proxy replaced', { ...forwarded, origin: 'https://prompts.example.com' }, 200],
    ['a foreign Host', { host: 'evil.example' }, 421],
    ['a foreign Host with a forwarded one of ours', { ...forwarded, host: 'evil.example' }, 421],
    ['a foreign forwarded host', { 'x-forwarded-host': 'evil.example' }, 421],
    ['a list with a foreign host', { 'x-forwarded-host': 'evil.example, prompts.example.com' }, 421],
    ['a foreign origin', { ...forwarded, origin: 'https://evil.example' }, 403],
    ['an origin with the host as a prefix', { origin: 'https://prompts.example.com.evil.example' }, 403],
  ])('with %s are judged', async (_, headers, status) => {
    expect((await get('/health', headers)).status).toBe(status)
  })

  it('turn on strict transport security only if the proxy was reached over TLS', async () => {
    const name = 'strict-transport-security'
    expect((await get('/health', forwarded)).headers[name]).toBe('max-age=31536000')
    expect((await get('/tools/deck/', forwarded)).headers[name]).toBe('max-age=31536000')
    expect((await get('/health', { 'x-forwarded-proto': 'http' })).headers[name]).toBeUndefined()
    expect((await get('/health', { 'x-forwarded-proto': 'http, https' })).headers[name]).toBeUndefined()
    expect((await get('/health')).headers[name]).toBeUndefined()
  })

  it('of an untrusted peer are ignored', async () => {
    const direct = await startTestServer()
    try {
      const reply = await bare(direct.url, '/health', forwarded)
      expect(reply.status).toBe(200)
      expect(reply.headers['strict-transport-security']).toBeUndefined()
      const page = await bare(direct.url, '/health', { ...forwarded, origin: 'https://prompts.example.com' })
      expect(page.status).toBe(403)
    } finally {
      await direct.close()
    }
  })
})

describe('the configuration', () => {
  it.each([
    [{}, { publicUrl: null, basePath: '' }],
    [{ BASE_PATH: '/' }, { publicUrl: null, basePath: '' }],
    [{ BASE_PATH: '/deck/' }, { publicUrl: null, basePath: '/deck' }],
    [{ PUBLIC_URL: 'https://a.example/' }, { publicUrl: 'https://a.example', basePath: '' }],
    [{ PUBLIC_URL: 'https://a.example/x/y/' }, { publicUrl: 'https://a.example/x/y', basePath: '/x/y' }],
    [
      { PUBLIC_URL: 'https://a.example', BASE_PATH: '/x' },
      { publicUrl: 'https://a.example/x', basePath: '/x' },
    ],
  ])('%j gives %j', (env, expected) => {
    expect(readConfig({ DATA_DIR: '/tmp/x', ...env })).toMatchObject(expected)
  })

  it.each([
    { BASE_PATH: 'deck' },
    { BASE_PATH: '/a b' },
    { BASE_PATH: '/../etc' },
    { BASE_PATH: '//evil.example' },
    { BASE_PATH: '/"><script>' },
    { PUBLIC_URL: 'https://a.example/%22' },
    { PUBLIC_URL: 'https://a.example/x', BASE_PATH: '/y' },
  ])('%j is refused', (env) => {
    expect(() => readConfig({ DATA_DIR: '/tmp/x', ...env })).toThrow(/(BASE_PATH|PUBLIC_URL): expected/)
  })
})
