import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import jwt from 'jsonwebtoken'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gatewayBases, gatewayProtocols } from '../../../contract/gateway/gateway.ts'
import { endpoints } from '../../../contract/index.ts'
import { telemetryEndpoints } from '../../../contract/telemetry/telemetry.ts'
import { type Answer, serviceToken, startTestServer, type TestServer } from '../../support/service.ts'

type Requirement = 'anyone' | 'signed in' | 'session' | 'viewer' | 'editor' | 'admin'

/** The expected rule of every route, written by hand: a missing route fails the test. */
const rules: Record<string, Requirement> = {
  'POST /api/login': 'anyone',
  'POST /api/logout': 'signed in',
  'GET /api/me': 'signed in',
  'PUT /api/me/password': 'session',
  'GET /api/me/sessions': 'session',
  'DELETE /api/me/sessions/:id': 'session',
  'GET /api/me/sign-ins': 'session',
  'GET /api/me/second-factor': 'session',
  'POST /api/me/second-factor': 'session',
  'POST /api/me/second-factor/confirm': 'session',
  'POST /api/me/second-factor/recovery-codes': 'session',
  'POST /api/me/second-factor/remove': 'session',
  'DELETE /api/users/:id/second-factor': 'admin',
  'POST /api/login/passkey-options': 'anyone',
  'GET /api/me/passkeys': 'session',
  'POST /api/me/passkeys/options': 'session',
  'POST /api/me/passkeys': 'session',
  'PATCH /api/me/passkeys/:id': 'session',
  'PUT /api/me/passkeys/:id': 'session',
  'POST /api/me/passkeys/:id/remove': 'session',
  'POST /api/users/:id/password-link': 'admin',
  'POST /api/password-link/check': 'anyone',
  'POST /api/password-link/redeem': 'anyone',
  'GET /api/roles': 'signed in',
  'GET /api/users': 'admin',
  'POST /api/users': 'admin',
  'GET /api/users/:id': 'admin',
  'PATCH /api/users/:id': 'admin',
  'PUT /api/users/:id': 'admin',
  'DELETE /api/users/:id': 'admin',
  'GET /api/users/:id/sessions': 'admin',
  'DELETE /api/users/:id/sessions/:session_id': 'admin',
  'POST /api/users/:id/revoke-sessions': 'admin',
  'GET /api/workspaces': 'viewer',
  'GET /api/deleted-workspaces': 'viewer',
  'POST /api/workspaces': 'editor',
  'GET /api/workspaces/:id': 'viewer',
  'PATCH /api/workspaces/:id': 'editor',
  'PUT /api/workspaces/:id': 'editor',
  'DELETE /api/workspaces/:id': 'admin',
  'GET /api/prompts': 'viewer',
  'GET /api/prompts/facets': 'viewer',
  'GET /api/prompts/keys': 'viewer',
  'POST /api/prompts/count-tokens': 'viewer',
  'GET /api/search': 'viewer',
  'POST /api/prompts': 'editor',
  'GET /api/prompts/:id': 'viewer',
  'PATCH /api/prompts/:id': 'editor',
  'PUT /api/prompts/:id': 'editor',
  'DELETE /api/prompts/:id': 'editor',
  'POST /api/prompts/:id/restore': 'editor',
  'POST /api/prompts/:id/duplicate': 'editor',
  'GET /api/prompts/:id/versions': 'viewer',
  'GET /api/prompts/:id/versions/:version': 'viewer',
  'GET /api/prompts/:id/diff': 'viewer',
  'GET /api/prompts/:id/resolved': 'viewer',
  'POST /api/prompts/:id/publish': 'editor',
  'POST /api/prompts/:id/rollback': 'editor',
  'POST /api/prompts/:id/promote': 'editor',
  'POST /api/prompts/publish': 'editor',
  'POST /api/prompts/rollback': 'editor',
  'GET /api/prompts/:id/convergence': 'viewer',
  'POST /api/prompts/:id/push': 'editor',
  'GET /api/prompts/:id/impact': 'viewer',
  'GET /api/prompts/export': 'viewer',
  'GET /api/prompts/export/preview': 'viewer',
  'POST /api/prompts/import': 'editor',
  'GET /api/sdk/prompts/:key': 'viewer',
  'GET /api/sdk/prompts': 'viewer',
  'GET /api/playground/providers': 'viewer',
  'POST /api/playground/run': 'viewer',
  'GET /api/providers': 'admin',
  'GET /api/providers/:name': 'admin',
  'PATCH /api/providers/:name': 'admin',
  'PUT /api/providers/:name': 'admin',
  'DELETE /api/providers/:name': 'admin',
  'GET /api/sample-data': 'admin',
  'POST /api/sample-data': 'admin',
  'DELETE /api/sample-data': 'admin',
  'POST /api/providers': 'admin',
  'POST /api/providers/:name/test': 'admin',
  'GET /api/agents': 'viewer',
  'GET /api/agents/export': 'viewer',
  'POST /api/agents/import': 'editor',
  'POST /api/agents': 'editor',
  'GET /api/agents/:id': 'viewer',
  'PATCH /api/agents/:id': 'editor',
  'PUT /api/agents/:id': 'editor',
  'DELETE /api/agents/:id': 'editor',
  'POST /api/agents/:id/duplicate': 'editor',
  'GET /api/agents/:id/versions': 'viewer',
  'GET /api/agents/:id/versions/:version': 'viewer',
  'POST /api/agents/:id/rollback': 'editor',
  'GET /api/agents/:id/input': 'viewer',
  'POST /api/agents/:id/run': 'viewer',
  'GET /api/workflows': 'viewer',
  'GET /api/workflows/export': 'viewer',
  'POST /api/workflows/import': 'editor',
  'POST /api/workflows/validate': 'viewer',
  'POST /api/workflows': 'editor',
  'GET /api/workflows/:id': 'viewer',
  'PATCH /api/workflows/:id': 'editor',
  'PUT /api/workflows/:id': 'editor',
  'DELETE /api/workflows/:id': 'editor',
  'POST /api/workflows/:id/duplicate': 'editor',
  'GET /api/workflows/:id/versions': 'viewer',
  'GET /api/workflows/:id/versions/:version': 'viewer',
  'POST /api/workflows/:id/rollback': 'editor',
  'POST /api/workflows/:id/run': 'viewer',
  'GET /api/workflows/:id/runs': 'viewer',
  'GET /api/workflow-runs': 'viewer',
  'GET /api/workflow-runs/:id': 'viewer',
  'POST /api/workflow-runs/:id/cancel': 'viewer',
  'POST /api/workflow-runs/:id/resume': 'viewer',
  'GET /api/runs': 'viewer',
  'POST /api/runs': 'viewer',
  'GET /api/runs/stats': 'viewer',
  'GET /api/runs/errors': 'viewer',
  'GET /api/runs/export': 'viewer',
  'GET /api/runs/:id': 'viewer',
  'GET /api/alerts': 'viewer',
  'POST /api/alerts': 'editor',
  'GET /api/alerts/events': 'viewer',
  'GET /api/alerts/events/:id': 'viewer',
  'GET /api/alerts/seen': 'session',
  'PUT /api/alerts/seen': 'session',
  'GET /api/alerts/:id': 'viewer',
  'PATCH /api/alerts/:id': 'editor',
  'PUT /api/alerts/:id': 'editor',
  'DELETE /api/alerts/:id': 'editor',
  'POST /api/alerts/:id/test': 'editor',
  'GET /api/sessions': 'viewer',
  'GET /api/sessions/:id': 'viewer',
  'GET /api/spans': 'viewer',
  'GET /api/views': 'viewer',
  'POST /api/views': 'viewer',
  'PATCH /api/views/:id': 'viewer',
  'PUT /api/views/:id': 'viewer',
  'DELETE /api/views/:id': 'viewer',
  'GET /api/audit': 'viewer',
  'GET /api/audit/export': 'viewer',
  'GET /api/audit/verify': 'admin',
  'GET /api/audit/:id': 'viewer',
  'GET /api/clients/summary': 'viewer',
  'GET /api/clients': 'viewer',
  'DELETE /api/clients/:id': 'admin',
  'GET /api/settings': 'admin',
  'PATCH /api/settings': 'admin',
  'PUT /api/settings': 'admin',
  'POST /api/settings/service-token': 'admin',
  'GET /api/settings/deletion': 'admin',
  'POST /api/settings/deletion/resume': 'admin',
  'GET /api/network': 'admin',
  'PUT /api/network': 'admin',
  'POST /api/network/authority': 'admin',
  'GET /api/tokens': 'admin',
  'POST /api/tokens': 'admin',
  'PATCH /api/tokens/:id': 'admin',
  'PUT /api/tokens/:id': 'admin',
  'DELETE /api/tokens/:id': 'admin',
  'POST /api/pairing': 'admin',
  'GET /api/pairing': 'admin',
  'DELETE /api/pairing': 'admin',
  'GET /api/pairing/requests': 'admin',
  'POST /api/pairing/requests/:id/approve': 'admin',
  'POST /api/pairing/requests/:id/refuse': 'admin',
  'GET /api/pair': 'anyone',
  'POST /api/pair': 'anyone',
  'GET /api/pair/:id': 'anyone',
  'GET /api/devices': 'signed in',
  'PATCH /api/devices/:id': 'signed in',
  'PUT /api/devices/:id': 'signed in',
  'DELETE /api/devices/:id': 'signed in',
  'POST /mcp': 'signed in',
  'GET /mcp': 'signed in',
  'GET /api/backups': 'admin',
  'GET /api/budgets': 'admin',
  'POST /api/backups': 'admin',
  'GET /api/backups/:id/download': 'admin',
  'DELETE /api/backups/:id': 'admin',
  'POST /v1/traces': 'viewer',
  'POST /v1/logs': 'viewer',
}

/** Every route of the gateway, written by hand. All have one rule: an API token that allows it, or the service token. */
const gatewayRoutes = [
  'POST /gateway/openai/v1/chat/completions',
  'POST /gateway/openai/v1/responses',
  'POST /gateway/openai/v1/embeddings',
  'GET /gateway/openai/v1/models',
  'GET /gateway/openai/v1/models/{model}',
  'POST /gateway/anthropic/v1/messages',
  'POST /gateway/anthropic/v1/messages/count_tokens',
  'GET /gateway/anthropic/v1/models',
  'GET /gateway/anthropic/v1/models/{model}',
  'POST /gateway/gemini/v1beta/models/{model}:generateContent',
  'POST /gateway/gemini/v1beta/models/{model}:streamGenerateContent',
  'POST /gateway/gemini/v1beta/models/{model}:embedContent',
  'POST /gateway/gemini/v1beta/models/{model}:batchEmbedContents',
  'POST /gateway/gemini/v1beta/models/{model}:countTokens',
  'GET /gateway/gemini/v1beta/models',
  'GET /gateway/gemini/v1beta/models/{model}',
  'POST /gateway/gemini/v1/models/{model}:generateContent',
  'POST /gateway/gemini/v1/models/{model}:streamGenerateContent',
  'POST /gateway/gemini/v1/models/{model}:embedContent',
  'POST /gateway/gemini/v1/models/{model}:batchEmbedContents',
  'POST /gateway/gemini/v1/models/{model}:countTokens',
  'GET /gateway/gemini/v1/models',
  'GET /gateway/gemini/v1/models/{model}',
  'POST /gateway/ollama/api/chat',
  'POST /gateway/ollama/api/generate',
  'POST /gateway/ollama/api/embed',
  'GET /gateway/ollama/api/tags',
]
const existingGatewayRoutes = Object.values(gatewayProtocols).flatMap((protocol) =>
  gatewayBases(protocol).flatMap((base) =>
    protocol.routes.map(({ method, path }) => `${method} ${base}${path}`),
  ),
)

/** Routes that are allowed while the user must choose a new password. */
const whileMustChange = ['POST /api/logout', 'GET /api/me', 'PUT /api/me/password']

/** Routes that are also allowed while the user must set up a second factor. */
const whileMustSetUp = Object.keys(rules).filter((route) =>
  / \/api\/me\/(second-factor|passkeys)(\/|$)/.test(route),
)

const existingRoutes = [...endpoints, ...telemetryEndpoints].flatMap((endpoint) =>
  (endpoint.alias ? [endpoint.method, endpoint.alias] : [endpoint.method]).map(
    (method) => `${method} ${endpoint.path}`,
  ),
)
// Last, because signing out ends the session that other rows use.
const routes = Object.keys(rules).toSorted(
  (a, b) => Number(a === 'POST /api/logout') - Number(b === 'POST /api/logout'),
)
const roles = ['viewer', 'editor', 'admin']

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

describe.each([
  'malformed',
  'expired',
  'tampered',
  'signature cut off',
  'wrong algorithm',
  'algorithm none',
  'wrong service token',
  'disabled',
  'deleted',
])('a token that is %s', (caller) => {
  it.each(routes.filter((route) => rules[route] !== 'anyone'))('is refused at %s', async (route) => {
    expect(await attempt(route, caller)).toEqual(refused(401, 'auth.invalid_token'))
  })
})

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
