import { describe, expect, it } from 'vitest'
import { matchHotRoute } from '../../../server/http/hot-routes.ts'
import { bare } from '../../support/bare.ts'
import { serviceToken } from '../../support/service.ts'
import { server, setUpService } from '../file-service.ts'

/**
 * Hot routes are dispatched before Express. The same request with an encoded letter in its path is not, and
 * Express matches it, so each scenario is sent both ways.
 */
const origin = 'https://app.example'

let tokens: Readonly<Record<string, string | null>>
setUpService(
  async () => {
    const prompt = { key: 'billing/refund', env: 'prod', model: 'gpt-4o', content: 'Hello {{name}}' }
    expect((await server.call('POST /api/prompts', { body: prompt })).status).toBe(201)
    const viewer = await server.signedIn('viewer')
    const blocked = { username: 'blocked', password: 'a phrase to replace 1', role: 'viewer' }
    const created = await server.call('POST /api/users', { body: { ...blocked, must_change_password: true } })
    expect(created.status).toBe(201)
    tokens = {
      nobody: null,
      stranger: 'not-a-token',
      admin: serviceToken,
      viewer: viewer.token,
      blocked: await server.login(blocked.username, blocked.password),
    }
  },
  { env: { ALLOWED_ORIGINS: origin } },
)

const hot = {
  me: ['/api/me', '/api/m%65'],
  prompt: ['/api/sdk/prompts/billing%2Frefund?env=prod', '/api/sdk/prompts/billin%67%2Frefund?env=prod'],
  unknownPrompt: ['/api/sdk/prompts/none?env=prod', '/api/sdk/prompts/non%65?env=prod'],
  badQuery: ['/api/sdk/prompts/none?x=1', '/api/sdk/prompts/non%65?x=1'],
  runs: ['/api/runs', '/api/run%73'],
} as const

describe('a hot route', () => {
  it.each(['me', 'prompt', 'unknownPrompt', 'badQuery'] as const)(
    'is matched by its plain path only: %s',
    (name) => {
      const [plain, encoded] = hot[name]
      expect(matchHotRoute('GET', plain)).not.toBeNull()
      expect(matchHotRoute('GET', encoded)).toBeNull()
      expect(matchHotRoute('HEAD', plain)).toBeNull()
    },
  )
  it('decodes the slashes of a key, and leaves every other encoding to Express', () => {
    const key = (text: string) => matchHotRoute('GET', `/api/sdk/prompts/${text}`)?.params['key'] ?? null
    expect(key('billing%2Frefund')).toBe('billing/refund')
    for (const other of ['', 'a/b', 'a%2', 'a%20b', '%E0%A4', '%zz', 'x'.repeat(513), 'a#b', 'ü'])
      expect(key(other)).toBeNull()
    expect(matchHotRoute('POST', '/api/runs')).toMatchObject({ name: 'POST /api/runs' })
    expect(matchHotRoute('GET', '/api/runs')).toBeNull()
    expect(matchHotRoute('POST', '/api/run%73')).toBeNull()
  })
})

type Scenario = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends a request and returns what does not differ between two equal requests. */
async function ask(path: string, { method = 'GET', headers = {}, body }: Scenario) {
  const host = new URL(server.url).host
  const reply = await bare(server.url, path, { host, ...headers }, method, body)
  const { date: _, 'x-request-id': requestId, 'content-length': length, ...others } = reply.headers
  // A refusal closes the connection only if the body has not arrived yet.
  if (body !== undefined) for (const name of ['connection', 'keep-alive']) delete others[name]
  const plain = reply.text.replaceAll(/%6[57]|%73/g, decodeURIComponent).replaceAll(/req_[\w-]+/g, 'REQUEST')
  const stable = plain.replaceAll(/"(id|created_at|expires_at)":[^,}]+/g, '"$1":0')
  return {
    status: reply.status,
    headers: { ...others, ratelimit: others['ratelimit'] !== undefined },
    isIdentified: typeof requestId === 'string',
    hasLength: length !== undefined,
    text: stable,
  }
}

async function bothWays([plain, encoded]: readonly [string, string], scenario: Scenario) {
  const first = await ask(plain, scenario)
  expect(await ask(encoded, scenario)).toEqual(first)
  return first
}

const bearer = (caller: string): Record<string, string> => {
  const token = tokens[caller]
  return token === null || token === undefined ? {} : { authorization: `Bearer ${token}` }
}

describe('a hot route replies exactly like Express to a request', () => {
  it.each([
    ['me', 'nobody', 'GET', 401],
    ['me', 'stranger', 'GET', 401],
    ['me', 'viewer', 'GET', 200],
    ['me', 'viewer', 'HEAD', 200],
    ['me', 'blocked', 'GET', 200],
    ['me', 'viewer', 'POST', 405],
    ['me', 'nobody', 'POST', 401],
    ['me', 'viewer', 'OPTIONS', 405],
    ['me', 'nobody', 'OPTIONS', 401],
    ['prompt', 'nobody', 'GET', 401],
    ['prompt', 'viewer', 'GET', 200],
    ['prompt', 'viewer', 'HEAD', 200],
    ['prompt', 'blocked', 'GET', 403],
    ['prompt', 'viewer', 'DELETE', 405],
    ['unknownPrompt', 'viewer', 'GET', 404],
    ['unknownPrompt', 'nobody', 'GET', 401],
    ['badQuery', 'viewer', 'GET', 422],
    ['runs', 'nobody', 'POST', 401],
    ['runs', 'blocked', 'POST', 403],
    ['runs', 'admin', 'DELETE', 405],
    ['runs', 'admin', 'HEAD', 200],
  ] as const)('%s by %s with %s: %i', async (name, caller, method, status) => {
    const reply = await bothWays(hot[name], { method, headers: bearer(caller) })
    expect(reply.status).toBe(status)
    if (status === 405) expect(reply.headers).toHaveProperty('allow')
    if (status === 401) expect(reply.headers).toMatchObject({ 'www-authenticate': 'Bearer' })
  })

  it.each([
    ['a wrong Host', { host: 'evil.example' }, 421],
    ['a foreign Origin', { origin: 'https://evil.example' }, 403],
    ['an allowed Origin', { origin }, 200],
    ['compression', { 'accept-encoding': 'gzip' }, 200],
  ])('with %s', async (_name, headers, status) => {
    for (const name of ['me', 'prompt'] as const) {
      const reply = await bothWays(hot[name], { headers: { ...bearer('viewer'), ...headers } })
      expect(reply.status).toBe(status)
      expect(reply.headers).toMatchObject({ 'x-content-type-options': 'nosniff' })
    }
  })

  it('with a preflight', async () => {
    const headers = { origin, 'access-control-request-method': 'POST' }
    const reply = await bothWays(hot.runs, { method: 'OPTIONS', headers })
    expect(reply.status).toBe(204)
  })

  it('with an ETag that is known', async () => {
    const { headers } = await ask(hot.prompt[0], { headers: bearer('viewer') })
    const known = {
      ...bearer('viewer'),
      'if-none-match': String((headers as Record<string, unknown>)['etag']),
    }
    expect((await bothWays(hot.prompt, { headers: known })).status).toBe(304)
  })

  it.each([
    ['a run', '{"provider":"openai","model":"gpt-4o","status":"ok","latency_ms":3}', {}, 201],
    ['invalid JSON', '{', {}, 400],
    ['malformed UTF-8', Buffer.from([0x22, 0xff, 0x22]).toString('latin1'), {}, 400],
    ['an unknown member', '{"nothing":1}', {}, 422],
    ['no body', '', {}, 422],
    ['another type', '{}', { 'content-type': 'text/plain' }, 415],
    ['more than 1 MiB', ' '.repeat(1024 * 1024 + 1), {}, 413],
  ])('with %s as a body', async (_name, body, more, status) => {
    const headers = { ...bearer('admin'), 'content-type': 'application/json', ...more }
    expect((await bothWays(hot.runs, { method: 'POST', headers, body })).status).toBe(status)
  })

  it('with malformed UTF-8 in the path, which Express alone sees', async () => {
    for (const path of ['/api/sdk/prompts/%E0%A4', '/api/sdk/prompts/%zz', '/api/m%65%']) {
      expect((await ask(path, { headers: bearer('viewer') })).status).toBe(404)
      expect((await ask(path, {})).status).toBe(401)
    }
  })
})
