import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changedEntities } from '../../../contract/live/frames.ts'
import { type LanServer, startLanServer } from '../../support/lan/listener.ts'
import { isOnPostgres } from '../../support/postgres/databases.ts'
import { serviceToken } from '../../support/service.ts'
import { app, openWindow, paired } from '../pairing/pairing-support.ts'
import { awaitDelivery, connect, type Peer } from './live-support.ts'

let server: LanServer
let viewer: { id: string; username: string; password: string; token: string }
const principals: Record<string, { token: string; query: string }> = {}
const peers: Record<string, Peer> = {}

beforeAll(async () => {
  server = await startLanServer()
  await server.call('POST /api/workspaces', { body: { name: 'Team Blue' } })
  for (const role of ['viewer', 'editor', 'admin'] as const) {
    const user = await server.signedIn(role, `the-${role}`)
    if (role === 'viewer') viewer = user
    principals[`a user, ${role}`] = { token: user.token, query: 'namespace=*' }
    const tokens: readonly (readonly [string, object, string])[] = [
      ['an API token', {}, 'namespace=*'],
      ['a token for a workspace', { workspace: 'default' }, 'namespace=*&workspace=default'],
      ['a token for an environment', { namespaces: ['prod'] }, 'namespace=prod'],
      ['a token for both', { workspace: 'default', namespaces: ['prod'] }, 'namespace=prod'],
    ]
    for (const [name, limits, query] of tokens) {
      const created = await server.call('POST /api/tokens', {
        body: { name: `${name} ${role}`, role, ...limits },
      })
      principals[`${name}, ${role}`] = { token: created.body.data.token, query }
    }
  }
  principals['the service token'] = { token: serviceToken, query: 'namespace=*' }
  for (const [name, { token, query }] of Object.entries(principals)) {
    const url = `${server.url.replace('http', 'ws')}/ws?${query}`
    const peer = await connect(url, { authorization: `Bearer ${token}` })
    expect((await peer.next()).type, name).toBe('hello')
    peers[name] = peer
  }
})
afterAll(async () => {
  for (const peer of Object.values(peers)) {
    peer.socket.close()
    await peer.closed
  }
  await server.close()
})

/** The route that shows an entity, written by hand. */
const readEndpoints: Record<string, () => string> = {
  run: () => '/api/runs',
  user: () => '/api/users',
  workspace: () => '/api/workspaces',
  session: () => `/api/users/${viewer.id}/sessions`,
  client: () => '/api/clients',
  audit: () => '/api/audit',
  setting: () => '/api/settings',
  backup: () => '/api/backups',
  prompt: () => '/api/prompts',
  agent: () => '/api/agents',
  workflow: () => '/api/workflows',
  provider: () => '/api/playground/providers',
  token: () => '/api/tokens',
  alert: () => '/api/alerts',
  view: () => '/api/views',
  // Everyone may list own devices; this one is of an admin.
  device: () => '/api/pairing/requests',
  pairing: () => '/api/pairing/requests',
}
const run = { provider: 'openai', model: 'gpt-4o', latency_ms: 1, status: 'ok' }
/** A change that is announced as this entity and does not concern one of the principals. */
const changes: Record<string, () => Promise<unknown>> = {
  run: () => server.call('POST /api/runs', { body: run }),
  user: () =>
    server.call('POST /api/users', {
      body: { username: 'somebody', password: 'a phrase 1 2 3', role: 'viewer' },
    }),
  workspace: () => server.call('POST /api/workspaces', { body: { name: 'More' } }),
  session: () => server.login('somebody', 'a phrase 1 2 3'),
  client: async () => {
    const url = `${server.url.replace('http', 'ws')}/ws`
    const peer = await connect(url, { authorization: `Bearer ${serviceToken}` })
    peer.socket.close()
    await peer.closed
  },
  audit: () => server.call('POST /api/workspaces', { body: { name: 'Even more' } }),
  setting: () => server.call('PATCH /api/settings', { body: { run_retention_days: 30 } }),
  backup: () => server.call('POST /api/backups'),
  prompt: () => server.call('POST /api/prompts', { body: { key: 'greet', env: 'prod', content: 'Hi' } }),
  agent: () =>
    server.call('POST /api/agents', { body: { key: 'a', provider: 'mock', model: 'm', content: 'x' } }),
  workflow: () =>
    server.call('POST /api/workflows', {
      body: { key: 'w', steps: [{ name: 'one', type: 'render', template: 'x' }] },
    }),
  provider: () =>
    server.call('PATCH /api/providers/openai', { body: { enabled: true, api_key: 'sk-0123456789abcdef' } }),
  token: () => server.call('POST /api/tokens', { body: { name: 'another' } }),
  alert: () =>
    server.call('POST /api/alerts', {
      body: { name: 'Cost', kind: 'cost', period_minutes: 60, threshold: 10 },
    }),
  view: () =>
    server.call('POST /api/views', { body: { name: 'Errors', page: 'runs', query: 'status=error' } }),
  device: () => paired(server, app('cli', 'box'), { role: 'viewer' }),
  pairing: () => openWindow(server),
}

const countChanged = (peer: Peer, entity: string) =>
  peer.frames.filter((frame) => frame.type === 'changed' && frame.entity === entity).length

describe('a changed frame is sent if and only if its route may be called', () => {
  it('covers every entity', () => {
    expect(Object.keys(readEndpoints).toSorted()).toEqual([...changedEntities].toSorted())
    expect(Object.keys(changes).toSorted()).toEqual([...changedEntities].toSorted())
  })

  /** A database makes its backups itself. */
  const entities = changedEntities.filter((entity) => entity !== 'backup' || !isOnPostgres)
  it.each(entities)('%s', async (entity) => {
    const before = Object.fromEntries(
      Object.entries(peers).map(([name, peer]) => [name, countChanged(peer, entity)]),
    )
    const admin = peers['the service token'] as Peer
    await changes[entity]?.()
    await expect.poll(() => countChanged(admin, entity)).toBeGreaterThan(before['the service token'] ?? 0)
    await awaitDelivery(...Object.values(peers))
    const recipients: string[] = []
    const allowed: string[] = []
    for (const [name, { token, query }] of Object.entries(principals)) {
      const peer = peers[name] as Peer
      const reply = await server.call(`GET ${readEndpoints[entity]?.()}`, { token })
      expect([200, 403]).toContain(reply.status)
      // A client of one environment is not a console, regardless of its permissions.
      if (reply.status === 200 && query.startsWith('namespace=*')) allowed.push(name)
      if (countChanged(peer, entity) > (before[name] ?? 0)) recipients.push(name)
    }
    expect(recipients).toEqual(allowed)
    expect(allowed).toContain('a user, admin')
    expect(allowed.some((name) => name.includes('for'))).toBe(false)
  })

  it('also in a replay', async () => {
    const url = `${server.url.replace('http', 'ws')}/ws?namespace=*&since_seq=0`
    const peer = await connect(url, { authorization: `Bearer ${viewer.token}` })
    await expect.poll(() => countChanged(peer, 'client')).toBeGreaterThan(0)
    await awaitDelivery(peer)
    const entities = new Set(peer.frames.flatMap((frame) => (frame.type === 'changed' ? [frame.entity] : [])))
    for (const entity of ['setting', 'backup', 'token']) expect(entities.has(entity)).toBe(false)
    expect(entities.has('prompt')).toBe(true)
    // Only frames of its own account: it was created, and signed in once.
    expect(peer.frames.filter((frame) => frame.entity === 'user').map(({ id }) => id)).toEqual([viewer.id])
    expect(countChanged(peer, 'session')).toBe(1)
    peer.socket.close()
    await peer.closed
  })
})

describe('a user gets frames about their own account', () => {
  it('when one of their sessions begins, and when an admin changes them', async () => {
    const peer = peers['a user, viewer'] as Peer
    const [users, sessions] = [countChanged(peer, 'user'), countChanged(peer, 'session')]
    await server.login(viewer.username, viewer.password)
    await expect.poll(() => countChanged(peer, 'session')).toBe(sessions + 1)
    await server.call(`PATCH /api/users/${viewer.id}`, {
      body: { must_change_password: false, role: 'editor' },
    })
    await expect.poll(() => countChanged(peer, 'user')).toBe(users + 1)
    await server.call(`PATCH /api/users/${viewer.id}`, { body: { role: 'viewer' } })
    await expect.poll(() => countChanged(peer, 'user')).toBe(users + 2)
  })
})

describe('a setting that changes the role of a permission', () => {
  it('is announced to everyone who may read the permissions of roles, and to no limited token', async () => {
    const before = Object.fromEntries(
      Object.entries(peers).map(([name, peer]) => [name, countChanged(peer, 'setting')]),
    )
    const change = { workspace_creation_role: 'viewer' }
    expect((await server.call('PATCH /api/settings', { body: change })).status).toBe(200)
    const viewing = peers['a user, viewer'] as Peer
    await expect.poll(() => countChanged(viewing, 'setting')).toBe((before['a user, viewer'] ?? 0) + 1)
    await awaitDelivery(...Object.values(peers))
    const recipients: string[] = []
    const allowed: string[] = []
    for (const [name, { token }] of Object.entries(principals)) {
      const { status } = await server.call('GET /api/roles', { token })
      if (status === 200) allowed.push(name)
      if (countChanged(peers[name] as Peer, 'setting') > (before[name] ?? 0)) recipients.push(name)
    }
    expect(recipients).toEqual(allowed)
    expect(allowed.some((name) => name.includes('for'))).toBe(false)
  })
})

describe("a limited token on a console's namespace", () => {
  it('receives a warning that it will get no frames', async () => {
    const { token = '' } = principals['a token for a workspace, admin'] ?? {}
    const url = `${server.url.replace('http', 'ws')}/ws?namespace=*&workspace=default`
    const peer = await connect(url, { authorization: `Bearer ${token}` })
    expect((await peer.next()).warning).toContain('use the environment dev, test or prod')
    peer.socket.close()
    await peer.closed
  })
})
