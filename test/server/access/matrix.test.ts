import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Endpoint } from '../../../contract/common/endpoint.ts'
import { endpoints } from '../../../contract/index.ts'
import { type Answer, startTestServer, type TestServer } from '../../support/service.ts'
import {
  createFixture,
  createMember,
  expectNothingOf,
  type Fixture,
  type Member,
  openPeer,
} from './access-support.ts'
import { idIn, inputs, observable, unknownId } from './matrix-inputs.ts'

let server: TestServer
let own: Fixture
let other: Fixture
let member: Member
let apiToken: string

beforeAll(async () => {
  server = await startTestServer()
  await server.call('PATCH /api/settings', { body: { workspace_creation_role: 'viewer' } })
  own = await createFixture(server, 'own-team')
  other = await createFixture(server, 'hidden-team')
  member = await createMember(server, 'member', [{ workspace_id: own.id, role: 'admin' }])
  const body = {
    name: 'listed',
    access: 'listed',
    memberships: [{ workspace_id: own.slug, role: 'admin' }],
    binding: 'service',
  }
  apiToken = (await server.call('POST /api/tokens', { body })).body.data.token
})
afterAll(async () => {
  own.client.socket.close()
  other.client.socket.close()
  await server.close()
})

const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`

/** Calls an item of a workspace; null: one that does not exist. */
async function callItem(
  endpoint: Endpoint,
  token: string,
  fixture: Fixture | null,
  method: string = endpoint.method,
) {
  const id = idIn(endpoint, fixture)
  const path = endpoint.path.replace(':id', encodeURIComponent(id)).replace(':version', 'v1')
  const example = endpoint.example.body as Record<string, unknown> | undefined
  const body = example && ('id' in example && !endpoint.path.includes(':id') ? { ...example, id } : example)
  const query = endpoint.method === 'GET' && endpoint.example.query ? `?${endpoint.example.query}` : ''
  return server.call(`${method} ${path}${query}`, { token, ...(body !== undefined && { body }) })
}

const ofKind = (kind: Endpoint['workspaces']) =>
  endpoints.filter(({ workspaces }) => workspaces === kind) as Endpoint[]
const principals = () =>
  [
    ['a user', member.token],
    ['an API token', apiToken],
  ] as const

describe('an item of another workspace is like one that does not exist', () => {
  it.each(ofKind('item').map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    '%s',
    async (_name, endpoint) => {
      for (const [name, token] of principals()) {
        for (const method of endpoint.alias ? [endpoint.method, endpoint.alias] : [endpoint.method]) {
          const hidden = await callItem(endpoint, token, other, method)
          const missing = await callItem(endpoint, token, null, method)
          expect(observable(hidden, idIn(endpoint, other)), name).toEqual(
            observable(missing, idIn(endpoint, null)),
          )
          expect(hidden.status, `${name}: ${hidden.text}`).toBe(404)
        }
      }
    },
  )
})

async function callInput(name: string, token: string, workspace: string): Promise<Answer> {
  const { query = '', body } = inputs[name]?.(workspace) ?? {}
  return server.call(`${name.replace(':key', 'some-key')}${query}`, { token, ...(body && { body }) })
}

describe('another workspace in a request is like one that does not exist', () => {
  it('covers every such route', () => {
    expect(Object.keys(inputs).toSorted()).toEqual(ofKind('input').map(nameOf).toSorted())
  })

  it.each(Object.keys(inputs))('%s', async (name) => {
    for (const [principal, token] of principals()) {
      for (const hidden of [other.id, other.slug]) {
        const reply = await callInput(name, token, hidden)
        const missing = await callInput(name, token, unknownId)
        expect(observable(reply, hidden), principal).toEqual(observable(missing, unknownId))
        expect([404, 422]).toContain(reply.status)
      }
      // 409: the other principal has made it already.
      expect([200, 201, 404, 409]).toContain((await callInput(name, token, own.id)).status)
    }
  })

  it('and so is the default workspace, which a request names by omission', async () => {
    const body = { provider: 'mock', model: 'm', latency_ms: 1, status: 'ok' }
    const reply = await server.call('POST /api/runs', { token: member.token, body })
    expect(reply).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'workspace_id', message: 'Workspace not found' }] },
    })
  })
})

describe('a list, a count, a statistic, a search and an export contain nothing of another workspace', () => {
  const q = 'q=team'
  const queries: Record<string, string> = {
    'GET /api/search': q,
    'GET /api/spans': `trace_id=${'ab'.repeat(16)}`,
  }

  it.each(ofKind('filter').map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    '%s',
    async (name, { path }) => {
      const search = (more: string) => {
        const parts = [queries[name] ?? '', more].filter((part) => part !== '')
        return parts.length === 0 ? '' : `?${parts.join('&')}`
      }
      const format = path.endsWith('/export') ? (path.startsWith('/api/prompts') ? 'format=json' : '') : ''
      for (const [principal, token] of principals()) {
        const reply = await server.call(`GET ${path}${search(format)}`, { token })
        expect(reply.status, `${principal}: ${reply.text}`).toBe(200)
        expectNothingOf(other, reply.text, `${principal} ${name}`)
        if (name === 'GET /api/search') continue
        const narrowed = await server.call(`GET ${path}${search(`workspace=${other.id}`)}`, { token })
        // A filter that the route does not have is 422 for everybody.
        expect([200, 422]).toContain(narrowed.status)
        if (narrowed.status === 422) continue
        const empty = await server.call(`GET ${path}${search(`workspace=${unknownId}`)}`, { token })
        const comparable = (answer: Answer, id: string) => ({
          ...observable(answer, id),
          text: answer.text.replaceAll(id, '<id>').replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'),
        })
        expect(comparable(narrowed, other.id)).toEqual(comparable(empty, unknownId))
      }
    },
  )

  it.each([
    '/api/prompts',
    '/api/prompts/keys',
    '/api/agents',
    '/api/workflows',
    '/api/workflow-runs',
    '/api/runs',
    '/api/sessions',
    '/api/alerts',
    '/api/alerts/events',
    '/api/views',
    '/api/workspaces',
  ])('%s has the same total as with a filter by the own workspace', async (path) => {
    const { body } = await server.call(`GET ${path}`, { token: member.token })
    expect(body.total).toBe(body.data.length)
    expect(body.total).toBeGreaterThan(0)
    expect(JSON.stringify(body)).toContain(own.marker)
  })

  it.each([
    'q=hidden',
    'q=hidden-team',
    'content=hidden',
    'ref_key=hidden-team',
    'model=hidden-team',
    'session_id=hidden-team',
  ])('the run log finds nothing by %s', async (query) => {
    const { body } = await server.call(`GET /api/runs?${query}`, { token: member.token })
    expect(body).toMatchObject({ total: 0, data: [] })
  })

  it('finds in captured texts only the runs of the own workspace', async () => {
    const find = async () =>
      (await server.call('GET /api/runs?content=team', { token: member.token })).body.data.map(
        ({ workspace_id }: { workspace_id: string }) => workspace_id,
      )
    await expect.poll(find).toEqual([own.id])
  })

  it.each(['ref_key', 'app', 'model', 'q'])('statistics by %s do not show names', async (filter) => {
    const to = new Date().toISOString()
    const find = async (name: string) =>
      (await server.call(`GET /api/runs/stats?to=${to}&${filter}=${name}`, { token: member.token })).body
    expect(await find(other.marker)).toEqual(await find('missing'))
  })

  it('connected clients do not show which slug an id has', async () => {
    const peer = await openPeer(server, member.token, `namespace=prod&workspace=${other.slug}`)
    const { body } = await server.call(`GET /api/clients?workspace=${other.id}`, { token: member.token })
    peer.socket.close()
    expect(body.total).toBe(0)
  })

  it('groups statistics without the names of another workspace, for every dimension', async () => {
    for (const dimension of [
      'model',
      'ref_key',
      'workspace',
      'app',
      'user',
      'version',
      'error_type',
      'tag',
      'env',
    ]) {
      const reply = await server.call(`GET /api/runs/stats?group_by=${dimension}`, { token: member.token })
      expect(reply.status, reply.text).toBe(200)
      expectNothingOf(other, reply.text, dimension)
    }
  })
})

describe('routes without a workspace', () => {
  const global = endpoints.filter(
    ({ workspaces, permission }) =>
      workspaces === 'all' ||
      (workspaces === 'none' &&
        !['public', 'signed_in', 'resources.read', 'resources.run'].includes(permission)),
  )
  it.each(global.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
    'a role in a workspace does not grant %s',
    async (_name, { method, path, example }) => {
      for (const [principal, token] of principals()) {
        const target = path.replaceAll(/:\w+/g, unknownId)
        const body = example.body
        const reply = await server.call(`${method} ${target}`, { token, ...(body !== undefined && { body }) })
        expect(reply, principal).toMatchObject({ status: 403, body: { code: 'auth.forbidden' } })
      }
    },
  )
})
