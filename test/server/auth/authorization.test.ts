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
  const key = await readFile(join(server.dataDir, 'keys', 'jwt.key'))
  const claims = jwt.decode(String(tokens['admin'])) as jwt.JwtPayload
  const secret = await signingSecret(key, String(tokens['admin']))
  const past = Math.floor(Date.now() / 1000) - 60
  const [head = '', payload = '', signature = ''] = String(tokens['admin']).split('.')
  const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'someone-else' })).toString('base64url')
  Object.assign(tokens, {
    none: null,
    malformed: 'not-a-token',
    expired: jwt.sign({ ...claims, iat: past - 60, exp: past }, secret, { algorithm: 'HS256' }),
    tampered: `${head}.${forged}.${signature}`,
    'signature cut off': `${head}.${payload}.`,
    'wrong algorithm': jwt.sign(claims, secret, { algorithm: 'HS512' }),
    'algorithm none': `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${payload}.`,
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

/** Returns the signing key from the file, as raw bytes or in the encoding that verifies the token. */
async function signingSecret(file: Buffer, token: string): Promise<Buffer> {
  const text = file.toString('utf8').trim()
  for (const secret of [file, Buffer.from(text), Buffer.from(text, 'base64url'), Buffer.from(text, 'hex')]) {
    try {
      jwt.verify(token, secret, { algorithms: ['HS256'] })
      return secret
    } catch {
      // Not in this encoding.
    }
  }
  throw new Error('keys/jwt.key does not verify a token that the service issued')
}

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

/** Routes that need a token. */
const guarded = routes.filter((route) => rules[route] !== 'anyone')

/** Calls routes one after the other. Returns each reply by its route. */
async function attemptAll(all: readonly string[], caller: string) {
  const replies: Record<string, Awaited<ReturnType<typeof attempt>>> = {}
  for (const route of all) replies[route] = await attempt(route, caller)
  return replies
}
const each = <T>(all: readonly string[], valueAt: (route: string) => T) =>
  Object.fromEntries(all.map((route) => [route, valueAt(route)]))

it.each(['tampered', 'wrong service token', 'disabled'])(
  'a token that is %s is refused at every route',
  async (caller) => {
    const expected = each(guarded, () => refused(401, 'auth.invalid_token'))
    expect(await attemptAll(guarded, caller)).toEqual(expected)
  },
)

// The signature, the claims and the session are checked in one place, before routing.
it.each(['malformed', 'expired', 'signature cut off', 'wrong algorithm', 'algorithm none', 'deleted'])(
  'a token that is %s is refused at a route of each kind',
  async (caller) => {
    const kinds = ['GET /api/me', 'GET /api/users', 'POST /api/prompts', 'POST /mcp', 'POST /v1/traces']
    const expected = each(kinds, () => refused(401, 'auth.invalid_token'))
    expect(await attemptAll(kinds, caller)).toEqual(expected)
  },
)

it('a request without a token is refused at every route, and where there is none', async () => {
  const all = [...guarded, 'GET /api/nothing/here']
  expect(await attemptAll(all, 'none')).toEqual(each(all, () => refused(401, 'auth.required')))
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

const isRefused = (status: number) => status === 401 || status === 403

it.each([
  { caller: 'viewer', role: 'viewer' },
  { caller: 'editor', role: 'editor' },
  { caller: 'admin', role: 'admin' },
  { caller: 'demoted', role: 'viewer' },
  { caller: 'service token', role: 'admin' },
])('$caller may call exactly the routes of its role', async ({ caller, role }) => {
  const isAllowed = (route: string) => {
    const required = rules[route] ?? 'admin'
    if (roles.includes(required)) return roles.indexOf(role) >= roles.indexOf(required)
    return required !== 'session' || caller !== 'service token'
  }
  const replies = await attemptAll(routes, caller)
  const found = each(routes, (route) => {
    const { status, code } = replies[route] ?? { status: 0 }
    return !isRefused(status) || code === 'auth.invalid_credentials' ? 'allowed' : { status, code }
  })
  expect(found).toEqual(
    each(routes, (route) => (isAllowed(route) ? 'allowed' : refused(403, 'auth.forbidden'))),
  )
})

/** Replies of a user who may only use some routes: `allowed`, or the status and code of the refusal. */
const limitedTo = (open: readonly string[], code: string) =>
  each(guarded, (route) => (open.includes(route) ? 'allowed' : refused(403, code)))
const outcomes = (replies: Awaited<ReturnType<typeof attemptAll>>) =>
  each(guarded, (route) => {
    const reply = replies[route] ?? { status: 0 }
    return isRefused(reply.status) ? reply : 'allowed'
  })

it('a user who must choose a new password may do that, and nothing else', async () => {
  expect(outcomes(await attemptAll(guarded, 'must change'))).toEqual(
    limitedTo(whileMustChange, 'auth.password_change_required'),
  )
})

it('a user who must set up a second factor may do that, and nothing else', async () => {
  await server.call('PATCH /api/settings', { body: { require_second_factor: true } })
  tokens['must set up'] = (await server.signedIn('admin')).token
  expect(outcomes(await attemptAll(guarded, 'must set up'))).toEqual(
    limitedTo([...whileMustChange, ...whileMustSetUp], 'auth.second_factor_setup_required'),
  )
})
