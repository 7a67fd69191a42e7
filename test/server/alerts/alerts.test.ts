import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resolverOf } from '../../support/lan/resolver.ts'
import { serviceToken, startTestServer, type TestServer } from '../../support/service.ts'
import { secret } from './alerts-support.ts'

const insideAddress = '10.1.2.3'
const resolve = resolverOf({
  'hooks.example.com': ['93.184.216.34'],
  'other.example.com': ['93.184.216.35'],
  'inside.example.com': [insideAddress],
})

let server: TestServer
const tokens: Record<string, string> = { service: serviceToken }
beforeAll(async () => {
  server = await startTestServer({ substitutes: { resolve } })
  for (const role of ['viewer', 'editor', 'admin'] as const) {
    tokens[role] = (await server.signedIn(role, role === 'admin' ? 'chief' : role)).token
  }
})
afterAll(() => server.close())

const call = (role: string, what: string, body?: unknown) =>
  server.call(what, { token: tokens[role] ?? '', ...(body !== undefined && { body }) })
const minimal = { name: 'Cost', kind: 'cost', period_minutes: 60, threshold: 10 }
const create = async (body: object, role = 'editor') => {
  const reply = await call(role, 'POST /api/alerts', { ...minimal, ...body })
  expect(reply.status, reply.text).toBe(201)
  return reply.body.data
}
const entriesOf = async (id: string) => {
  const { body } = await server.call(`GET /api/audit?resource=alert&resource_id=${id}&sort=created_at`)
  const details = body.data.map(async (entry: { id: number }) =>
    server.call(`GET /api/audit/${entry.id}`).then((reply) => reply.body.data),
  )
  return Promise.all(details)
}
const url = 'https://hooks.example.com/path-canary?token=query-canary'

describe('an alert', () => {
  it('has defaults, is listed, changed and deleted, with one audit entry each', async () => {
    const created = await create({ name: 'Errors of billing', kind: 'error_rate', threshold: 5 })
    expect(created).toMatchObject({
      kind: 'error_rate',
      statistic: null,
      workspace_id: null,
      filters: {},
      min_runs: 10,
      enabled: true,
      desktop: false,
      webhook: null,
      state: { status: 'pending', since: null, value: null },
      created_by: 'editor',
    })
    const listed = await call('viewer', 'GET /api/alerts?q=bill')
    expect(listed.body).toMatchObject({ total: 1, data: [{ id: created.id }] })
    expect(['starting', 'running']).toContain(listed.body.evaluation.status)

    const path = `/api/alerts/${created.id}`
    const patched = await call('editor', `PATCH ${path}`, { threshold: 7.5, filters: { model: ['a', 'a'] } })
    expect(patched.body.data).toMatchObject({ threshold: 7.5, filters: { model: ['a'] } })
    const read = (await call('editor', `GET ${path}`)).body.data
    const same = await call('editor', `PUT ${path}`, read)
    expect(same.body.data).toMatchObject({ threshold: 7.5, updated_at: read.updated_at })
    expect((await call('editor', `PATCH ${path}`, { enabled: false })).body.data.state.status).toBe('off')
    expect((await call('editor', `DELETE ${path}`)).status).toBe(200)
    expect((await call('viewer', `GET ${path}`)).status).toBe(404)

    const entries = await entriesOf(created.id)
    expect(entries.map(({ action, actor, key, summary }) => [action, actor, key, summary])).toEqual([
      ['create', 'editor', 'Errors of billing', 'Created the alert Errors of billing'],
      ['update', 'editor', 'Errors of billing', 'Changed filters, threshold of the alert Errors of billing'],
      ['update', 'editor', 'Errors of billing', 'Disabled the alert Errors of billing'],
      ['delete', 'editor', 'Errors of billing', 'Deleted the alert Errors of billing'],
    ])
    expect(entries[1]).toMatchObject({ before: { threshold: 5 }, after: { threshold: 7.5 } })
  })

  it('belongs to a workspace given by its slug, and is listed there and with all', async () => {
    const workspace = (await server.call('POST /api/workspaces', { body: { name: 'Team Blue' } })).body.data
    const blue = await create({ name: 'Blue', workspace: 'team-blue' })
    expect(blue.workspace_id).toBe(workspace.id)
    const names = async (slug: string) =>
      (await call('viewer', `GET /api/alerts?workspace=${slug}`)).body.data.map(
        (each: { name: string }) => each.name,
      )
    const everywhere = await create({ name: 'Everywhere' })
    expect(await names('team-blue')).toEqual(['Blue', 'Everywhere'])
    expect(await names('default')).toEqual(['Everywhere'])
    for (const { id } of [blue, everywhere]) await call('editor', `DELETE /api/alerts/${id}`)
  })

  it.each([
    ['an unknown workspace', { workspace: 'nowhere' }, ['workspace']],
    ['a period below the minimum', { period_minutes: 4 }, ['period_minutes']],
    ['a period above a day', { period_minutes: 1441 }, ['period_minutes']],
    ['an error rate of 100 %', { kind: 'error_rate', threshold: 100 }, ['threshold']],
    ['a part of a run', { kind: 'no_runs', threshold: 1.5 }, ['threshold']],
    ['a threshold of no client', { kind: 'client_behind', threshold: 0 }, ['threshold']],
    ['a statistic of a cost', { statistic: 'p95' }, ['statistic']],
    [
      'a filter that clients lack',
      { kind: 'client_behind', threshold: 1, filters: { model: ['a'] } },
      ['filters.model'],
    ],
    ['an unknown filter', { filters: { region: ['eu'] } }, ['filters.region']],
    ['an empty filter', { filters: { model: [] } }, ['filters.model']],
    ['a webhook without a secret', { webhook: { url } }, ['webhook.secret']],
    ['a webhook without an address', { webhook: { secret } }, ['webhook.url']],
    ['a short secret', { webhook: { url, secret: 'short' } }, ['webhook.secret']],
    ['a webhook over http', { webhook: { url: 'http://hooks.example.com/', secret } }, ['webhook.url']],
    ['a webhook on this machine', { webhook: { url: 'https://127.0.0.1/', secret } }, ['webhook.url']],
    ['a name on the network', { webhook: { url: 'https://inside.example.com', secret } }, ['webhook.url']],
    [
      'credentials in the address',
      { webhook: { url: 'https://a:b@hooks.example.com', secret } },
      ['webhook.url'],
    ],
    ['no address', { webhook: { url: 'nonsense', secret } }, ['webhook.url']],
  ])('is refused with %s', async (_, body, fields) => {
    const reply = await call('editor', 'POST /api/alerts', { ...minimal, ...body })
    expect(reply.status).toBe(422)
    expect(reply.body.errors.map((error: { path: string }) => error.path)).toEqual(fields)
    expect(reply.text).not.toContain(secret)
  })
})

describe('a webhook', () => {
  it('shows its address to those who may set it, and its secret to nobody', async () => {
    const created = await create({ webhook: { url, secret } })
    expect(created.webhook).toEqual({
      url,
      origin: 'https://hooks.example.com',
      local: false,
      secret_set_at: expect.any(String),
      previous_secret_until: null,
      problem: null,
    })
    const path = `/api/alerts/${created.id}`
    const seen = await call('viewer', `GET ${path}`)
    expect(seen.body.data.webhook).toMatchObject({ url: null, origin: 'https://hooks.example.com' })
    const texts = [seen.text, JSON.stringify(created), JSON.stringify(await entriesOf(created.id))]
    for (const text of texts) expect(text).not.toContain(secret)
    for (const text of [texts[0], texts[2]]) expect(text).not.toMatch(/path-canary|query-canary/)
    await call('editor', `DELETE ${path}`)
  })

  it('keeps the previous secret for a day after a change, and demands a new one for another host', async () => {
    const { id } = await create({ webhook: { url, secret } })
    const patch = (webhook: object | null) => call('editor', `PATCH /api/alerts/${id}`, { webhook })
    const unchanged = await patch({ secret })
    expect(unchanged.body.data.webhook.previous_secret_until).toBeNull()
    const rotated = await patch({ secret: `${secret}-2` })
    const until = Date.parse(rotated.body.data.webhook.previous_secret_until)
    expect(until - Date.parse(rotated.body.data.webhook.secret_set_at)).toBe(24 * 3_600_000)

    const moved = await patch({ url: 'https://other.example.com/' })
    expect(moved).toMatchObject({ status: 422, body: { errors: [{ path: 'webhook.secret' }] } })
    const withKnown = await patch({ url: 'https://other.example.com/', secret: `${secret}-2` })
    expect(withKnown.status).toBe(422)
    const withNew = await patch({ url: 'https://other.example.com/', secret: `${secret}-3` })
    expect(withNew.body.data.webhook).toMatchObject({
      origin: 'https://other.example.com',
      previous_secret_until: null,
    })
    expect((await patch(null)).body.data.webhook).toBeNull()
    const last = (await entriesOf(id)).at(-1)
    expect(last.summary).toBe('Changed webhook address, webhook secret of the alert Cost')
    await call('editor', `DELETE /api/alerts/${id}`)
  })

  it('at a name of the network is refused without its address', async () => {
    const webhook = { url: 'https://inside.example.com/', secret }
    const { status, text } = await call('editor', 'POST /api/alerts', { ...minimal, webhook })
    expect(status).toBe(422)
    expect(text).not.toContain(insideAddress)
  })

  it('on this machine can be set by an admin only, and kept by an editor', async () => {
    const local = { url: 'http://127.0.0.1:9/hook', secret, local: true }
    const refused = await call('editor', 'POST /api/alerts', { ...minimal, webhook: local })
    expect(refused).toMatchObject({
      status: 403,
      body: { code: 'auth.forbidden', required_role: 'admin' },
    })
    const { id } = await create({ webhook: local }, 'admin')
    const patch = (role: string, body: object) => call(role, `PATCH /api/alerts/${id}`, body)
    const read = (await call('editor', `GET /api/alerts/${id}`)).body.data
    expect((await call('editor', `PUT /api/alerts/${id}`, { ...read, threshold: 20 })).status).toBe(200)
    expect((await patch('editor', { webhook: { url: 'http://127.0.0.1:10/hook', secret } })).status).toBe(403)
    const publicButLocal = await patch('admin', { webhook: { url, secret: `${secret}-2` } })
    expect(publicButLocal).toMatchObject({ status: 422, body: { errors: [{ path: 'webhook.url' }] } })
    const madePublic = await patch('editor', { webhook: { url, secret: `${secret}-2`, local: false } })
    expect(madePublic.body.data.webhook).toMatchObject({ url, local: false })
    await call('editor', `DELETE /api/alerts/${id}`)
  })

  it('is needed for a test delivery', async () => {
    const { id } = await create({})
    expect(await call('editor', `POST /api/alerts/${id}/test`)).toMatchObject({
      status: 422,
      body: { detail: 'webhook: The alert has no webhook' },
    })
    await call('editor', `DELETE /api/alerts/${id}`)
  })
})

// Last, because it leaves the maximum number of alerts.
describe('the number of alerts', () => {
  it('has a limit', async () => {
    const { total } = (await call('viewer', 'GET /api/alerts?limit=1')).body
    await Promise.all(Array.from({ length: 100 - total }, () => create({ enabled: false })))
    const reply = await call('editor', 'POST /api/alerts', minimal)
    expect(reply).toMatchObject({ status: 422, body: { detail: expect.stringContaining('limit of 100') } })
  })
})
