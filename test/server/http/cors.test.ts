import { describe, expect, it } from 'vitest'
import { ProblemBody } from '../../../contract/common/problem.ts'
import { bare } from '../../support/bare.ts'
import { serviceToken } from '../../support/service.ts'
import { server, setUpService } from '../file-service.ts'

const allowed = 'https://app.example'

setUpService(undefined, { env: { ALLOWED_ORIGINS: allowed } })

const host = () => new URL(server.url).host
const paths = ['/api/runs', '/api/nothing', '/health', '/metrics', '/openapi.json', '/ws', '/']

describe('a preflight', () => {
  const preflight = (path: string, origin: string, more: Record<string, string> = {}) =>
    bare(
      server.url,
      path,
      { host: host(), origin, 'access-control-request-method': 'PUT', ...more },
      'OPTIONS',
    )

  it.each(paths)('from an allowed origin for %s gets a reply without a token', async (path) => {
    const reply = await preflight(path, allowed, {
      'access-control-request-headers': 'authorization,if-match',
    })
    expect(reply.status).toBe(204)
    expect(reply.text).toBe('')
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': allowed,
      'access-control-allow-methods': expect.stringMatching(/\bPUT\b/),
      'access-control-allow-headers': expect.stringMatching(/Authorization.*If-Match/),
      vary: expect.stringMatching(/Origin/),
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      'x-content-type-options': 'nosniff',
    })
    expect(reply.headers['access-control-allow-credentials']).toBeUndefined()
    expect(reply.headers['access-control-allow-private-network']).toBeUndefined()
  })

  it("from the service's own page also gets a reply", async () => {
    const ownOrigin = `http://${host()}`
    expect(await preflight('/api/runs', ownOrigin)).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': ownOrigin },
    })
  })

  it('of a public page that asks for a private network gets permission', async () => {
    const reply = await preflight('/api/runs', allowed, { 'access-control-request-private-network': 'true' })
    expect(reply.headers['access-control-allow-private-network']).toBe('true')
  })

  it.each([...paths])('from a foreign origin for %s is refused, without CORS headers', async (path) => {
    for (const origin of ['https://evil.example', 'null', `${allowed}.evil`]) {
      const reply = await preflight(path, origin)
      expect(reply.status).toBe(403)
      expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })

  it('for a foreign host is refused', async () => {
    const reply = await bare(
      server.url,
      '/api/runs',
      { host: 'evil.example', origin: allowed, 'access-control-request-method': 'GET' },
      'OPTIONS',
    )
    expect(reply.status).toBe(421)
  })

  it('has a requested method: an OPTIONS request without it requires a token', async () => {
    expect((await bare(server.url, '/api/runs', { host: host(), origin: allowed }, 'OPTIONS')).status).toBe(
      401,
    )
  })
})

describe('a reply', () => {
  const get = (path: string, origin: string, more: Record<string, string> = {}) =>
    bare(server.url, path, { host: host(), origin, ...more })
  const authorization = `Bearer ${serviceToken}`

  it.each([
    ['a list', '/api/runs', { authorization }, 200],
    ['a 401', '/api/runs', {}, 401],
    ['a 404', '/api/nothing', { authorization }, 404],
    ['a 422', '/api/runs?limit=0', { authorization }, 422],
    ['an export', '/api/runs/export?format=csv', { authorization }, 200],
    ['health', '/health', {}, 200],
    ['the OpenAPI description', '/openapi.json', {}, 200],
    ['a 426', '/ws', { authorization }, 426],
  ])('that is %s can be read by an allowed page and by no other', async (_, path, headers, status) => {
    const requestHeaders = headers as Record<string, string>
    const reply = await get(path, allowed, requestHeaders)
    expect(reply.status).toBe(status)
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': allowed,
      'access-control-expose-headers': expect.stringMatching(/ETag.*RateLimit.*Retry-After/),
      vary: expect.stringMatching(/Origin/),
    })
    const foreign = await get(path, 'https://evil.example', requestHeaders)
    expect(foreign.status).toBe(403)
    expect(foreign.headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('GET /ws without an upgrade', () => {
  it.each([
    ['a token', { authorization: `Bearer ${serviceToken}` }, '', 426, 'request.upgrade_required'],
    ['a token in the URL', {}, `?token=${serviceToken}&client=node-sdk`, 426, 'request.upgrade_required'],
    ['no token', {}, '', 401, 'auth.required'],
    ['an invalid token', { authorization: 'Bearer nobody' }, '', 401, 'auth.invalid_token'],
    ['an invalid token in the URL', {}, '?token=nobody', 401, 'auth.invalid_token'],
  ])('with %s', async (_, headers, query, status, code) => {
    for (const method of ['GET', 'HEAD']) {
      const reply = await bare(server.url, `/ws${query}`, { host: host(), ...(headers as object) }, method)
      expect(reply.status).toBe(status)
      expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/)
      if (status === 426) expect(reply.headers).toMatchObject({ upgrade: 'websocket' })
      else expect(reply.headers).toMatchObject({ 'www-authenticate': 'Bearer' })
      if (method === 'GET') {
        const problem = ProblemBody.parse(JSON.parse(reply.text))
        expect(problem).toMatchObject({ code, status, instance: '/ws' })
        expect(reply.text).not.toContain(serviceToken)
      }
    }
  })

  it('is refused with another method', async () => {
    expect((await server.call('POST /ws', { body: {} })).status).toBe(405)
  })
})
