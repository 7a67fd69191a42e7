import { createServer } from 'node:http'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ProblemBody, problems } from '../../../contract/common/problem.ts'
import { createMessageClasses } from '../../../server/http/node/message-classes.ts'
import { bare } from '../../support/bare.ts'
import { listen } from '../../support/http/loopback.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({
    env: { ALLOWED_HOSTS: 'deck.example,other.example:8443', ALLOWED_ORIGINS: 'https://app.example' },
  })
})
afterAll(() => server.close())

describe('the Host header', () => {
  const port = () => new URL(server.url).port
  it.each([
    ['127.0.0.1', 200],
    ['localhost', 200],
    ['LOCALHOST:1234', 200],
    ['[::1]:9', 200],
    ['deck.example', 200],
    ['Deck.Example:77', 200],
    ['other.example:8443', 200],
    ['other.example:8444', 421],
    ['evil.example', 421],
    ['127.0.0.1.evil.example', 421],
    ['localhost.evil.example', 421],
    ['10.0.0.1', 421],
    ['-', 421],
    ['deck.example@evil.example', 421],
  ])('%j → %i', async (host, status) => {
    for (const path of ['/health', '/api/me', '/', '/metrics', '/openapi.json']) {
      const reply = await bare(server.url, path, { host })
      expect(reply.status === 401 ? 200 : reply.status, path).toBe(status)
      if (status === 421) expect(JSON.parse(reply.text)).toMatchObject({ code: 'request.misdirected' })
    }
  })
  it('is accepted with the actual port', async () => {
    expect((await bare(server.url, '/health', { host: `127.0.0.1:${port()}` })).status).toBe(200)
  })
})

describe('the Origin header', () => {
  it.each([
    ['https://app.example', 401],
    ['https://app.example.evil', 403],
    ['http://app.example', 403],
    ['null', 403],
    ['https://evil.example', 403],
    ['file://', 403],
  ])('%j → %i', async (origin, status) => {
    const host = new URL(server.url).host
    const reply = await bare(server.url, '/api/me', { host, origin })
    expect(reply.status).toBe(status)
    expect(reply.headers['access-control-allow-origin']).toBe(status === 401 ? origin : undefined)
  })
  it("of the service's own page is accepted", async () => {
    const { host } = new URL(server.url)
    expect((await bare(server.url, '/api/me', { host, origin: `http://${host}` })).status).toBe(401)
    expect((await bare(server.url, '/api/me', { host, origin: 'http://localhost:1' })).status).toBe(403)
  })
})

describe('an unreadable request', () => {
  const big = JSON.stringify({ name: 'x'.repeat(1024 * 1024) })
  it.each([
    ['invalid JSON', { raw: '{' }, 400, 'request.malformed'],
    ['bad UTF-8 in text', { raw: '"\\ud800' }, 400, 'request.malformed'],
    [
      'a form body',
      { raw: 'name=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      'request.unsupported_media_type',
    ],
    [
      'a compressed body',
      { raw: '{}', headers: { 'content-encoding': 'gzip' } },
      415,
      'request.unsupported_media_type',
    ],
    ['more than 1 MiB', { raw: big }, 413, 'request.too_large'],
    ['an unknown member', { body: { name: 'x', nme: 'y' } }, 422, 'request.invalid'],
    ['an own __proto__ member', { raw: '{"name":"x","__proto__":{"admin":true}}' }, 422, 'request.invalid'],
    ['a list as body', { body: [] }, 422, 'request.invalid'],
    ['no body', {}, 422, 'request.invalid'],
    ['null', { raw: 'null' }, 422, 'request.invalid'],
  ])('%s', async (_name, options, status, code) => {
    const before = await server.call('GET /api/workspaces')
    const reply = await server.call('POST /api/workspaces', options)
    expect(reply.status).toBe(status)
    expect(reply.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    const problem = ProblemBody.parse(reply.body)
    expect(problem).toMatchObject({
      code,
      status,
      type: `urn:problem:${code}`,
      title: problems[problem.code].title,
      instance: '/api/workspaces',
      request_id: reply.headers.get('x-request-id'),
      error: problem.detail,
    })
    expect(reply.text).not.toMatch(/at .*\.js|sqlite|node_modules/i)
    expect((await server.call('GET /api/workspaces')).body.total).toBe(before.body.total)
  })

  it.each([
    ['limit=0', 'query.limit'],
    ['limit=201', 'query.limit'],
    ['limit=ten', 'query.limit'],
    ['limit=%20', 'query.limit'],
    ['limit=1&limit=2', 'query.limit'],
    ['offset=10001', 'query.offset'],
    ['sort=secret', 'query.sort'],
    ['colour=red', 'query.colour'],
    ['__proto__=x', 'query.__proto__'],
    ['cursor=%00', 'query.cursor'],
  ])('the query %s names its field', async (query, path) => {
    const reply = await server.call(`GET /api/workspaces?${query}`)
    expect(reply.status).toBe(422)
    expect(reply.body.errors.map((error: { path: string }) => error.path)).toContain(path)
  })
})

it.each([
  ['GET /api/users?role=root', {}, 'query.role: Invalid option: expected one of "viewer"|"editor"|"admin"'],
  [
    `GET /api/users?${'role=viewer&'.repeat(51)}`,
    {},
    'query.role: Too big: expected array to have <=50 items',
  ],
  ['GET /api/runs?min_latency_ms=fast', {}, 'query.min_latency_ms: Expected a whole number'],
  ['POST /api/runs', { body: Array(501).fill({}) }, 'Too big: expected array to have <=500 items'],
  ['POST /api/runs', { body: 'run' }, 'Invalid input: expected object or array, received string'],
])('%s states why a value fits no form of its field', async (what, options, detail) => {
  expect((await server.call(what, options)).body.detail).toBe(detail)
})

it('names at most 1000 fields, so that no reply is much larger than the request', async () => {
  const reply = await server.call('POST /api/login', { token: null, body: { ...Array(5000).fill(1) } })
  expect(reply).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/and 50\d\d more/) } })
  expect(reply.body.errors).toHaveLength(1000)
})

it('reads a parameter that is repeated thousands of times in linear time', async () => {
  const request = `POST /api/login?${'a&'.repeat(7500)}`
  for (let sent = 0; sent < 8; sent += 1)
    expect((await server.call(request, { token: null })).status).toBe(422)
})

describe('routes', () => {
  it.each([
    ['GET /api', 404, 'not_found'],
    ['GET /api/', 404, 'not_found'],
    ['GET /api/nothing', 404, 'not_found'],
    ['GET /api/runs/abc', 404, 'not_found'],
    ['GET /api/runs/999999', 404, 'not_found'],
    ['GET /api/audit/999999', 404, 'not_found'],
    ['POST /health', 405, 'method_not_allowed'],
  ])('%s → %i', async (what, status, code) => {
    const reply = await server.call(what)
    expect(reply.status).toBe(status)
    expect(reply.body.code).toBe(code)
    if (status === 405) expect(reply.headers.get('allow')).toMatch(/^[A-Z, ]+$/)
  })
})

it('requests and replies have the prototypes of the application before Express handles them', async () => {
  const app = express()
  app.get('/', (_req, res) => res.json({ ok: true }))
  const prototypes: boolean[] = []
  const own = createServer(createMessageClasses(app), (req, res) => {
    const before = [Object.getPrototypeOf(req), Object.getPrototypeOf(res)]
    app(req, res)
    const after = [Object.getPrototypeOf(req), Object.getPrototypeOf(res)]
    prototypes.push(...after.map((prototype, index) => prototype === before[index]))
  })
  const { url, close } = await listen(own)
  expect(await (await fetch(url)).json()).toEqual({ ok: true })
  expect(prototypes).toEqual([true, true])
  await close()
})
