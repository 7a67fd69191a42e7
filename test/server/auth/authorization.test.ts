import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import jwt from 'jsonwebtoken'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, serviceToken, startTestServer, type TestServer } from '../../support/service.ts'
import {
  existingGatewayRoutes,
  existingRoutes,
  gatewayRoutes,
  roles,
  routes,
  rules,
  whileMustChange,
  whileMustSetUp,
} from './authorization-rules.ts'

let server: TestServer
const tokens: Record<string, string | null> = {}

beforeAll(async () => {
  server = await startTestServer()
  for (const role of ['viewer', 'editor', 'admin'] as const)
    tokens[role] = (await server.signedIn(role)).token
  const key = await readFile(join(server.dataDir, 'keys', 'jwt.key'), 'utf8')
  const secret = Buffer.from(key.slice(0, 64), 'hex')
  const claims = jwt.verify(String(tokens['admin']), secret) as jwt.JwtPayload
  const past = Math.floor(Date.now() / 1000) - 60
  const [head = '', , signature = ''] = String(tokens['admin']).split('.')
  const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'someone-else' })).toString('base64url')
  Object.assign(tokens, {
    none: null,
    malformed: 'not-a-token',
    expired: jwt.sign({ ...claims, iat: past - 60, exp: past }, secret, { algorithm: 'HS256' }),
    tampered: `${head}.${forged}.${signature}`,
    'service token': serviceToken,
    'wrong service token': `${serviceToken.slice(0, -1)}x`,
  })
  const disabled = await server.signedIn('admin', 'disabled')
  const deleted = await server.signedIn('admin', 'deleted')
  const demoted = await server.signedIn('admin', 'demoted')
  const mustChange = await server.signedIn('admin', 'must-change')
  await server.call(`PATCH /api/users/${disabled.id}`, { body: { disabled: true } })
  await server.call(`DELETE /api/users/${deleted.id}`)
  await server.call(`PATCH /api/users/${demoted.id}`, { body: { role: 'viewer' } })
  await server.call(`PATCH /api/users/${mustChange.id}`, { body: { must_change_password: true } })
  const createToken = async (body: object) =>
    (await server.call('POST /api/tokens', { body })).body.data.token as string
  Object.assign(tokens, {
    'API token': await createToken({ name: 'ordinary', role: 'admin' }),
    'API token for the gateway': await createToken({ name: 'gateway', role: 'viewer', gateway: true }),
    disabled: disabled.token,
    deleted: deleted.token,
    demoted: demoted.token,
    'must change': await server.login('must-change', mustChange.password),
  })
})
afterAll(() => server.close())

/** Calls a route with ids that do not exist, so that only access is tested. */
async function attempt(route: string, caller: string): Promise<{ status: number; code: string | undefined }> {
  const path = route.replace(/:\w*id/g, '019aa5b2-0000-7000-8000-000000000000')
  const token = tokens[caller] ?? null
  const reply = await server.call(path, { token, ...(/^(POST|PATCH|PUT)/.test(path) && { body: {} }) })
  return { status: reply.status, code: codeIn(reply.body) }
}

/** Returns the code of a problem. Endpoints of telemetry reply with a google.rpc.Status, whose reason it is. */
const codeIn = (body: Answer['body']): string | undefined => body?.details?.[0]?.reason ?? body?.code

const refused = (status: number, code: string) => ({ status, code })

describe('the table of rules', () => {
  it('contains exactly the existing routes', () => {
    expect(Object.keys(rules).toSorted()).toEqual(existingRoutes.toSorted())
    expect(gatewayRoutes.toSorted()).toEqual(existingGatewayRoutes.toSorted())
  })
})

describe.each(['malformed', 'expired', 'tampered', 'wrong service token', 'disabled', 'deleted'])(
  'a token that is %s',
  (caller) => {
    it.each(routes.filter((route) => rules[route] !== 'anyone'))('is refused at %s', async (route) => {
      expect(await attempt(route, caller)).toEqual(refused(401, 'auth.invalid_token'))
    })
  },
)

describe('a request without a token', () => {
  it.each(routes.filter((route) => rules[route] !== 'anyone'))('is refused at %s', async (route) => {
    expect(await attempt(route, 'none')).toEqual(refused(401, 'auth.required'))
  })
  it('is also refused where there is no route', async () => {
    expect(await attempt('GET /api/nothing/here', 'none')).toEqual(refused(401, 'auth.required'))
  })
})

describe('the gateway', () => {
  const expected = {
    ...Object.fromEntries(
      ['none', 'malformed', 'expired', 'tampered', 'wrong service token', 'disabled', 'deleted'].map(
        (caller) => [caller, 401],
      ),
    ),
    ...Object.fromEntries(
      ['viewer', 'editor', 'admin', 'must change', 'API token'].map((caller) => [caller, 403]),
    ),
    'API token for the gateway': 'allowed',
    'service token': 'allowed',
  }

  it.each([...gatewayRoutes, 'POST /gateway/openai/v1/nothing', 'GET /gateway/nothing'])(
    '%s',
    async (route) => {
      const found: Record<string, unknown> = {}
      for (const caller of Object.keys(expected)) {
        const { status } = await attempt(route.replace('{model}', 'm'), caller)
        found[caller] = status === 401 || status === 403 ? status : 'allowed'
      }
      expect(found).toEqual(expected)
    },
  )
})

describe.each([
  { caller: 'viewer', role: 'viewer' },
  { caller: 'editor', role: 'editor' },
  { caller: 'admin', role: 'admin' },
  { caller: 'demoted', role: 'viewer' },
  { caller: 'service token', role: 'admin' },
])('$caller', ({ caller, role }) => {
  it.each(routes)('%s', async (route) => {
    const required = rules[route] ?? 'admin'
    const isRole = roles.includes(required)
    const isAllowed = isRole
      ? roles.indexOf(role) >= roles.indexOf(required)
      : required !== 'session' || caller !== 'service token'
    const { status, code } = await attempt(route, caller)
    if (!isAllowed) expect({ status, code }).toEqual(refused(403, 'auth.forbidden'))
    else
      expect([401, 403]).not.toContain(status === 401 && code === 'auth.invalid_credentials' ? 200 : status)
  })
})

describe('a user who must choose a new password', () => {
  it.each(routes.filter((route) => rules[route] !== 'anyone'))('%s', async (route) => {
    const { status, code } = await attempt(route, 'must change')
    if (whileMustChange.includes(route)) expect([401, 403]).not.toContain(status)
    else expect({ status, code }).toEqual(refused(403, 'auth.password_change_required'))
  })
})

describe('a user who must set up a second factor', () => {
  let strict: TestServer
  let token: string
  beforeAll(async () => {
    strict = await startTestServer()
    token = (await strict.signedIn('admin')).token
    await strict.call('PATCH /api/settings', { body: { require_second_factor: true } })
  })
  afterAll(() => strict.close())

  it.each(routes.filter((route) => rules[route] !== 'anyone'))('%s', async (route) => {
    const path = route.replace(/:\w*id/g, '019aa5b2-0000-7000-8000-000000000000')
    const { status, body } = await strict.call(path, {
      token,
      ...(/^(POST|PATCH|PUT)/.test(path) && { body: {} }),
    })
    if ([...whileMustChange, ...whileMustSetUp].includes(route)) expect([401, 403]).not.toContain(status)
    else expect({ status, code: codeIn(body) }).toEqual(refused(403, 'auth.second_factor_setup_required'))
  })
})
