import { describe, expect, it } from 'vitest'
import { hasRole, permissionDescriptions, permissionRoles, roles } from '../../../contract/common/roles.ts'
import { bare } from '../../support/bare.ts'
import { server, setUpService } from '../file-service.ts'

setUpService()

describe('every reply of the API', () => {
  it('contains a request id: a new one, or a valid one of the caller', async () => {
    expect((await server.call('GET /api/me')).headers.get('x-request-id')).toMatch(/^req_/)
    const accepted = await server.call('GET /api/me', { headers: { 'x-request-id': 'abc-123' } })
    expect(accepted.headers.get('x-request-id')).toBe('abc-123')
    const replaced = await server.call('GET /api/me', { headers: { 'x-request-id': 'a b {}' } })
    expect(replaced.headers.get('x-request-id')).toMatch(/^req_/)
  })
  it('is never cached and contains the security headers', async () => {
    const { headers } = await server.call('GET /api/me')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(headers.get('content-security-policy')).toContain("base-uri 'none'")
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-powered-by')).toBeNull()
  })
  it('is compressed if it is large enough', async () => {
    for (let n = 0; n < 20; n++) await server.call('POST /api/workspaces', { body: { name: `Zip ${n}` } })
    const large = await server.call('GET /api/workspaces', { headers: { 'accept-encoding': 'gzip' } })
    expect(large.headers.get('content-encoding')).toBe('gzip')
    const refused = await server.call('GET /api/workspaces', { headers: { 'accept-encoding': 'gzip;q=0' } })
    expect(refused.headers.get('content-encoding')).toBeNull()
    expect(large.body.data.length).toBeGreaterThan(20)
    const small = await server.call('GET /api/me', { headers: { 'accept-encoding': 'gzip' } })
    expect(small.headers.get('content-encoding')).toBeNull()
  })
  it.each(['audit', 'runs', 'prompts', 'agents', 'workflows'])(
    'to HEAD of the export of %s is audited as no export',
    async (noun) => {
      const exports = async () => (await server.call('GET /api/audit?action=export')).body.total
      const before = await exports()
      const head = await server.call(`HEAD /api/${noun}/export`)
      expect([head.status, head.text, await exports()]).toEqual([200, '', before])
      const { headers } = await server.call(`GET /api/${noun}/export`)
      expect(head.headers.get('content-type')).toBe(headers.get('content-type'))
      expect(await exports()).toBe(before + 1)
    },
  )
})

describe('static and system routes', () => {
  it.each(['/', '/favicon.svg', '/health', '/ready', '/docs', '/openapi.json'])(
    '%s names its charset',
    async (path) => {
      const { headers } = await server.call(`GET ${path}`, { token: null })
      // RFC 8259: JSON is UTF-8 without a charset parameter; the service names it anyway.
      expect(headers.get('content-type')).toMatch(/charset=utf-8$/i)
    },
  )
  it('health reports ok, and to this machine which defaults are in use', async () => {
    const reply = await server.call('GET /health', { token: null })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      ok: true,
      status: 'ok',
      version: expect.any(String),
      defaults: { password: true, token: false },
    })
  })
  it('health hides the defaults from a forwarded peer', async () => {
    const reply = await server.call('GET /health', {
      token: null,
      headers: { 'x-forwarded-for': '203.0.113.9' },
    })
    expect(reply.body).toEqual({ ok: true, status: 'ok', version: expect.any(String) })
  })
  it('metrics are Prometheus text for this machine, and for an admin elsewhere', async () => {
    await server.call('GET /api/me')
    const reply = await server.call('GET /metrics', { token: null })
    expect(reply.status).toBe(200)
    expect(reply.text).toMatch(
      /promptdeck_http_requests_total\{method="GET",route="\/api\/me",status="200"\} \d+/,
    )
    const elsewhere = { 'x-forwarded-for': '203.0.113.9' }
    expect((await server.call('GET /metrics', { token: null, headers: elsewhere })).status).toBe(401)
    const viewer = await server.signedIn('viewer')
    expect((await server.call('GET /metrics', { token: viewer.token, headers: elsewhere })).status).toBe(403)
    expect((await server.call('GET /metrics', { headers: elsewhere })).status).toBe(200)
  })
  it('metrics count refused requests under their route', async () => {
    const id = 'a-user-who-is-not-there'
    await server.call(`GET /api/users/${id}`)
    await server.call(`GET /api/users/${id}`, { token: null })
    await server.call('GET /api/nothing')
    const { text } = await server.call('GET /metrics', { token: null })
    const counted = (route: string, status: number) =>
      text.includes(`promptdeck_http_requests_total{method="GET",route="${route}",status="${status}"}`)
    expect(counted('/api/users/:id', 404)).toBe(true)
    expect(counted('/api/users/:id', 401)).toBe(true)
    expect(counted('unmatched', 404)).toBe(true)
    expect(text).not.toContain(id)
  })
  it('the console is served at all of its addresses, with a policy against inline script', async () => {
    for (const path of ['/', '/runs', '/users/some-id', '/runs?status=error']) {
      const reply = await server.call(`GET ${path}`, { token: null })
      expect(reply.status, path).toBe(200)
      expect(reply.headers.get('content-type')).toMatch(/^text\/html/)
      const policy = reply.headers.get('content-security-policy') ?? ''
      expect(policy).toMatch(/script-src 'self'(;|$)/)
      expect(reply.text).not.toMatch(/<script(?![^>]*src=)/)
    }
    expect((await server.call('GET /assets/nothing.js', { token: null })).status).toBe(404)
  })
  it.each(['/..%2f..%2fpackage.json', '/assets/..%2f..%2f..%2fpackage.json', '/%2e%2e/package.json'])(
    'no file outside the console folder is served: %s',
    async (path) => {
      const reply = await bare(server.url, path, { host: 'localhost' })
      expect(reply.text).not.toContain('devDependencies')
    },
  )
  it('the documentation is one page without script that lists every route', async () => {
    const reply = await server.call('GET /docs', { token: null })
    expect(reply.status).toBe(200)
    expect(reply.text).not.toContain('<script')
    expect(reply.text).toContain('/api/users/:id/revoke-sessions')
  })
  it('the documentation lists permissions, including protected environments', async () => {
    const { text } = await server.call('GET /docs', { token: null })
    const cells = (row: string) => [...row.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell]) => cell)
    const rows = [...text.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row]) => cells(row ?? ''))
    for (const [permission, role] of Object.entries(permissionRoles)) {
      const means = permissionDescriptions[permission as keyof typeof permissionDescriptions]
      const allowed = roles.map((candidate) => (hasRole(candidate, role) ? 'yes' : ''))
      expect(rows, permission).toContainEqual([means, ...allowed])
    }
    expect(text).toContain('<h3 id="protected">Protected environments</h3>')
    expect(text).toContain('(see <a href="#who">Who may do what</a>)')
  })
})

describe('openapi.json', () => {
  it('describes every route with its replies, errors and examples', async () => {
    const { body } = await server.call('GET /openapi.json', { token: null })
    expect(body.openapi).toBe('3.1.0')
    for (const [path, methods] of Object.entries<
      Record<string, { responses: Record<string, unknown>; operationId: string }>
    >(body.paths).filter(([path]) => path.startsWith('/api/'))) {
      for (const [method, operation] of Object.entries(methods)) {
        const statuses = Object.keys(operation.responses)
        expect(
          statuses.filter((status) => status.startsWith('2')),
          `${method} ${path}`,
        ).toHaveLength(1)
        expect(statuses, `${method} ${path}`).toContain('422')
        const isPublic = /^\/api\/(login|pair|password-link)(\/|$)/.test(path)
        if (!isPublic) expect(statuses).toContain('403')
      }
    }
    expect(body.paths['/api/workspaces'].post.requestBody.content['application/json'].example).toEqual({
      name: 'Team Blue',
    })
    const workflow = body.paths['/api/workflows/{id}'].get.responses['200'].content['application/json']
    expect(workflow.example.data.steps[1]).toMatchObject({ template: '{{input}}', params: {}, tools: [] })
  })
})
