import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changedEntities } from '../../../contract/live/frames.ts'
import { serviceToken, startTestServer, type TestServer } from '../../support/service.ts'
import { awaitDelivery, type Frame, type Peer } from '../live/live-support.ts'
import {
  createFixture,
  createMember,
  expectNothingOf,
  type Fixture,
  type Member,
  openPeer,
} from './access-support.ts'

let server: TestServer
let own: Fixture
let other: Fixture
let member: Member
const peers: Peer[] = []

const open = async (token: string, query: string): Promise<Peer> => {
  const peer = await openPeer(server, token, query)
  peers.push(peer)
  return peer
}

beforeAll(async () => {
  server = await startTestServer()
  own = await createFixture(server, 'own-team')
  other = await createFixture(server, 'hidden-team')
  member = await createMember(server, 'member', [{ workspace_id: own.id, role: 'editor' }])
})
afterAll(async () => {
  for (const peer of [...peers, own.client, other.client]) peer.socket.close()
  await server.close()
})

const admin = (what: string, body?: object) => server.call(what, body === undefined ? {} : { body })
const without = (frames: readonly Frame[]) => frames.filter(({ type }) => type !== 'hello' && type !== 'pong')

/** Makes a change of every kind in a workspace, each with its frames. */
async function changeEverything({ id, slug, marker, ids }: Fixture): Promise<void> {
  const edit = { description: `${marker} ${Math.random()}` }
  await admin(`PATCH /api/workspaces/${id}`, edit)
  for (const noun of ['prompts', 'agents', 'workflows']) await admin(`PATCH /api/${noun}/${ids[noun]}`, edit)
  await admin(`PATCH /api/prompts/${ids['prompts']}`, { content: edit.description })
  await admin(`POST /api/prompts/${ids['prompts']}/publish`)
  await admin(`PATCH /api/alerts/${ids['alerts']}`, { name: edit.description })
  await admin(`PATCH /api/views/${ids['views']}`, { name: edit.description })
  await admin('POST /api/runs', {
    workspace_id: id,
    provider: 'mock',
    model: 'm',
    latency_ms: 1,
    status: 'ok',
  })
  await admin(`POST /api/workflows/${ids['workflows']}/run`, {})
  const client = await openPeer(server, serviceToken, `namespace=prod&app=${marker}&workspace=${slug}`)
  client.socket.close()
  await client.closed
}

const countOf = (peer: Peer, entity: string): number =>
  peer.frames.filter((frame) => frame.type === 'changed' && frame.entity === entity).length

/** Waits until everything that a change announces later, such as runs, has arrived at an admin. */
async function settled(watching: Peer, work: () => Promise<void>, ...others: Peer[]): Promise<void> {
  const [runs, clients] = [countOf(watching, 'run'), countOf(watching, 'client')]
  await work()
  await expect.poll(() => countOf(watching, 'run')).toBeGreaterThan(runs)
  await expect.poll(() => countOf(watching, 'client')).toBeGreaterThan(clients)
  await awaitDelivery(watching, ...others)
}

/** The entities whose frames are about a workspace. */
const ofWorkspaces = ['workspace', 'prompt', 'agent', 'workflow', 'alert', 'view', 'run', 'client', 'audit']

describe('a console of a member', () => {
  it('receives no frame when anything of another workspace changes', async () => {
    const watching = await open(serviceToken, 'namespace=*')
    const peer = await open(member.token, 'namespace=*')
    const hidden = await open(member.token, `namespace=*&workspace=${other.slug}`)
    const before = without(peer.frames).length
    await settled(watching, () => changeEverything(other), peer, hidden)
    expect(without(peer.frames).slice(before)).toEqual([])
    expect(without(hidden.frames)).toEqual([])
    for (const entity of ofWorkspaces) expect(countOf(watching, entity), entity).toBeGreaterThan(0)
  })

  it('receives the frames of its own workspace, of every kind', async () => {
    const watching = await open(serviceToken, 'namespace=*')
    const peer = await open(member.token, 'namespace=*')
    await settled(watching, () => changeEverything(own), peer)
    for (const entity of ofWorkspaces)
      await expect.poll(() => countOf(peer, entity), { message: entity }).toBeGreaterThan(0)
    expectNothingOf(other, JSON.stringify(peer.frames), 'frames')
    expect(changedEntities).toEqual(expect.arrayContaining(ofWorkspaces))
  })

  it('receives nothing of another workspace in a replay', async () => {
    const peer = await open(member.token, 'namespace=*&since_seq=0')
    await expect.poll(() => countOf(peer, 'prompt')).toBeGreaterThan(0)
    await awaitDelivery(peer)
    expectNothingOf(other, JSON.stringify(peer.frames), 'replay')
    const about = new Set(peer.frames.filter(({ entity }) => entity === 'workspace').map(({ id }) => id))
    expect([...about]).toEqual([own.id])
  })
})

describe('an app of a member', () => {
  it.each(['slug', 'id'] as const)('receives no events of another workspace, named by %s', async (name) => {
    const peer = await open(member.token, `namespace=prod&workspace=${other[name]}`)
    const unknown = await open(member.token, 'namespace=prod&workspace=nothing-like-this')
    const warningOf = ({ frames: [hello] }: Peer, of: string) => String(hello?.warning).replace(of, '<name>')
    expect(warningOf(peer, other[name])).toBe(warningOf(unknown, 'nothing-like-this'))
    await admin(`PATCH /api/prompts/${other.ids['prompts']}`, { content: `again ${name}` })
    await admin(`POST /api/prompts/${other.ids['prompts']}/publish`)
    await awaitDelivery(peer, unknown)
    expect(without(peer.frames)).toEqual([])
  })

  it('does not learn from its own entry in the list of clients what another workspace serves', async () => {
    const stateIn = async (workspace: string, app: string) => {
      const peer = await open(member.token, `namespace=prod&app=${app}&workspace=${workspace}`)
      peer.send({ type: 'subscribe', keys: [other.marker] })
      peer.send({ type: 'ack', seq: 1, key: other.marker, version: 'v0' })
      const entry = async () =>
        (await server.call(`GET /api/clients?app=${app}`, { token: member.token })).body.data[0]
      await expect.poll(async () => (await entry()).acked.length).toBe(1)
      const { behind, missing } = await entry()
      return { behind, missing }
    }
    const hidden = await stateIn(other.slug, 'spy')
    expect(hidden).toEqual(await stateIn('nothing-like-this', 'other-spy'))
    const { body } = await server.call(`GET /api/prompts/${other.ids['prompts']}/convergence`)
    expect(JSON.stringify(body)).not.toContain('spy')
  })

  it('receives events of its own workspace', async () => {
    const peer = await open(member.token, `namespace=prod&workspace=${own.slug}`)
    await admin(`PATCH /api/prompts/${own.ids['prompts']}`, { content: 'again' })
    await admin(`POST /api/prompts/${own.ids['prompts']}/publish`)
    expect((await peer.next()).type).toBe('prompt.published')
  })
})

describe('a change of access', () => {
  it('ends the frames of a lost workspace at once, and makes open connections fetch again', async () => {
    const leaving = await createMember(server, 'leaving', [{ workspace_id: own.id, role: 'editor' }])
    const console = await open(leaving.token, 'namespace=*')
    const app = await open(leaving.token, `namespace=prod&workspace=${own.slug}`)
    const watching = await open(serviceToken, 'namespace=*')
    const memberships = [{ workspace_id: other.id, role: 'viewer' }]
    const change = server.call(`PATCH /api/users/${leaving.id}`, { body: { memberships } })
    // Requests that arrive while the access changes are answered in the order of their commits.
    expect((await change).status).toBe(200)
    const before = { console: console.frames.length, app: app.frames.length }
    await settled(watching, () => changeEverything(own), console, app)
    const after = [...console.frames.slice(before.console), ...app.frames.slice(before.app)]
    expectNothingOf(own, JSON.stringify(after), 'frames after the change')
    for (const peer of [console, app]) expect(peer.frames.map(({ type }) => type)).toContain('resync')
    expect(
      (await server.call(`GET /api/prompts/${own.ids['prompts']}`, { token: leaving.token })).status,
    ).toBe(404)
    expect(
      (await server.call(`GET /api/prompts/${other.ids['prompts']}`, { token: leaving.token })).status,
    ).toBe(200)
    await settled(watching, () => changeEverything(other), console, app)
    expect(countOf(console, 'prompt')).toBeGreaterThan(0)
  })

  it('reaches the sockets of an API token that depends on the user', async () => {
    const owner = await server.signedIn('admin', 'owner')
    const body = { name: 'of the owner', role: 'viewer' }
    const { token } = (await server.call('POST /api/tokens', { token: owner.token, body })).body.data
    const peer = await open(token, 'namespace=*')
    await server.call(`PATCH /api/users/${owner.id}`, {
      body: { access: 'listed', memberships: [{ workspace_id: own.id, role: 'viewer' }] },
    })
    const before = peer.frames.length
    const watching = await open(serviceToken, 'namespace=*')
    await settled(watching, () => changeEverything(other), peer)
    expectNothingOf(other, JSON.stringify(peer.frames.slice(before)), 'frames')
    const me = await server.call('GET /api/me', { token })
    expect(me.body).toMatchObject({
      access: 'listed',
      memberships: [{ workspace_id: own.id, role: 'viewer' }],
    })
    expect((await server.call(`GET /api/prompts/${other.ids['prompts']}`, { token })).status).toBe(404)
  })

  it('does not repeat a reply under an idempotency key to a caller who lost the workspace', async () => {
    const writer = await createMember(server, 'writer', [{ workspace_id: own.id, role: 'editor' }])
    const request = {
      token: writer.token,
      headers: { 'idempotency-key': 'once' },
      body: { workspace_id: own.id, key: 'once', env: 'dev', content: own.marker },
    }
    expect((await server.call('POST /api/prompts', request)).status).toBe(201)
    expect((await server.call('POST /api/prompts', request)).status).toBe(201)
    await server.call(`PATCH /api/users/${writer.id}`, {
      body: { memberships: [{ workspace_id: other.id, role: 'editor' }] },
    })
    const repeated = await server.call('POST /api/prompts', request)
    expect(repeated).toMatchObject({ status: 409, body: { code: 'idempotency.mismatch' } })
    expect(repeated.text).not.toContain(own.marker)
  })

  it('shows a moved item only where it is, and its move only to those who see both workspaces', async () => {
    const both = await createMember(server, 'both', [
      { workspace_id: own.id, role: 'editor' },
      { workspace_id: other.id, role: 'editor' },
    ])
    const body = { workspace_id: other.id, key: 'to-move', env: 'dev', content: 'x' }
    const { id } = (await server.call('POST /api/prompts', { token: both.token, body })).body.data
    const move = (token: string, workspace_id: string) =>
      server.call(`PATCH /api/prompts/${id}`, { token, body: { workspace_id } })
    expect((await move(member.token, own.id)).status).toBe(404)
    expect((await move(both.token, own.id)).status).toBe(200)
    expect((await move(member.token, other.id)).status).toBe(422)
    const audit = async (token: string) =>
      (await server.call(`GET /api/audit?resource_id=${id}`, { token })).body
    expect((await audit(both.token)).total).toBe(2)
    expect((await audit(member.token)).total).toBe(0)
    expect((await server.call(`GET /api/prompts/${id}`, { token: member.token })).status).toBe(200)
  })
})
