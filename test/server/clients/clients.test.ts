import { describe, expect, it } from 'vitest'
import { serviceToken } from '../../support/service.ts'
import { connect, type Peer } from '../live/live-support.ts'
import { admin, peers, server, setUpService } from './clients-support.ts'

setUpService()

async function join(query: string, token = serviceToken): Promise<Peer & { id: string }> {
  const peer = await connect(`${server.url.replace('http', 'ws')}/ws${query}`, {
    authorization: `Bearer ${token}`,
  })
  peers.push(peer)
  const hello = await peer.next()
  return { ...peer, id: hello.client_id }
}
const apps = async (query: string): Promise<string[]> =>
  (await server.call(`GET /api/clients?${query}`)).body.data.map((client: { app: string }) => client.app)

describe('GET /api/clients', () => {
  it('shows a connected SDK with all its data, and removes it after it disconnects', async () => {
    const peer = await join('?client=python-sdk&app=checkout&namespace=dev')
    peer.send({ type: 'hello', instance_id: 'pod-7', sdk_version: '0.1.0', keys: ['greet'] })
    peer.send({ type: 'ack', seq: 0, key: 'greet', version: 'v3' })
    await expect.poll(async () => (await server.call('GET /api/clients')).body.data[0].acked.length).toBe(1)
    const { body } = await server.call('GET /api/clients')
    expect(body).toEqual({
      total: 1,
      next_cursor: null,
      data: [
        {
          id: peer.id,
          client_type: 'python-sdk',
          app: 'checkout',
          namespace: 'dev',
          remote_addr: '127.0.0.1',
          user_agent: expect.any(String),
          connected_at: expect.any(String),
          last_seen_at: expect.any(String),
          username: 'service-token',
          instance_id: 'pod-7',
          sdk_version: '0.1.0',
          workspace: 'default',
          keys: ['greet'],
          acked: [{ key: 'greet', version: 'v3', at: expect.any(String) }],
          behind: [],
          missing: ['greet'],
          sdk_outdated: false,
        },
      ],
    })
    peer.socket.close()
    await peer.closed
    await expect.poll(async () => (await server.call('GET /api/clients')).body.total).toBe(0)
    const disconnected = (await server.call('GET /api/clients?include=gone&app=checkout')).body.data
    expect(disconnected).toMatchObject([{ id: peer.id, disconnected_at: expect.any(String) }])
  })

  it('shows if a client runs a version that is not served, and if its SDK is old', async () => {
    const convergence = async () => {
      const { data } = (await server.call('GET /api/clients?sort=app')).body
      return data.map((client: Record<string, unknown>) => [
        client['app'],
        client['behind'],
        client['missing'],
        client['sdk_outdated'],
      ])
    }
    const create = (key: string, env: string) =>
      server.call('POST /api/prompts', { body: { key, env, content: 'Hi' } })
    const id = (await create('convergence/one', 'prod')).body.data.id
    await create('convergence/two', 'dev')
    const keys = ['convergence/one', 'convergence/two']
    const current = await join('?client=node-sdk&app=a&namespace=prod')
    current.send({ type: 'hello', sdk_version: '0.0.9', keys })
    current.send({ type: 'ack', seq: 0, key: 'convergence/one', version: 'v1' })
    const dev = await join('?client=java-sdk&app=b&namespace=dev')
    dev.send({ type: 'hello', sdk_version: 'a-nightly', keys })
    const elsewhere = await join('?client=node-sdk&app=c&namespace=prod&workspace=nowhere')
    elsewhere.send({ type: 'hello', keys: ['convergence/one'] })
    const other = await join('?client=node-sdk&app=d&namespace=staging')
    other.send({ type: 'hello', sdk_version: '99.0.0', keys })
    await expect.poll(convergence).toEqual([
      ['a', [], ['convergence/two'], true],
      ['b', [], ['convergence/one'], null],
      ['c', [], ['convergence/one'], null],
      ['d', [], [], false],
    ])
    await server.call(`PATCH /api/prompts/${id}`, { body: { content: 'Hello' } })
    await server.call(`POST /api/prompts/${id}/publish`, { body: {} })
    expect((await convergence())[0]).toEqual(['a', ['convergence/one'], ['convergence/two'], true])
    current.send({ type: 'ack', seq: 0, key: 'convergence/one', version: 'v2' })
    await expect.poll(async () => (await convergence())[0]).toEqual(['a', [], ['convergence/two'], true])
    await server.call(`DELETE /api/prompts/${id}`)
    expect((await convergence())[0]).toEqual(['a', [], keys, true])
  })

  it('counts and filters by state and kind, with the same numbers in the list and the summary', async () => {
    const id = (
      await server.call('POST /api/prompts', { body: { key: 'counted', env: 'prod', content: 'Hi' } })
    ).body.data.id
    const shop = [await join('?client=node-sdk&app=shop'), await join('?client=python-sdk&app=shop')]
    shop[0]?.send({ type: 'hello', sdk_version: '0.0.9', keys: ['counted'] })
    shop[1]?.send({ type: 'hello', sdk_version: '0.1.0', keys: ['counted', 'counted/never'] })
    for (const peer of shop) peer.send({ type: 'ack', seq: 0, key: 'counted', version: 'v1' })
    const site = await join('?client=browser&app=site&namespace=dev')
    await join('?client=browser&app=promptdeck-console&namespace=*')
    await server.call(`PATCH /api/prompts/${id}`, { body: { content: 'Hello' } })
    await server.call(`POST /api/prompts/${id}/publish`, { body: {} })
    site.send({ type: 'hello', keys: [] })
    const summary = async (query = '') => (await server.call(`GET /api/clients/summary?${query}`)).body.data
    await expect.poll(async () => (await summary()).behind).toBe(2)
    expect(await summary()).toMatchObject({
      clients: 3,
      consoles: 1,
      behind: 2,
      missing_key: 1,
      outdated_sdk: 1,
      apps: [
        {
          app: 'shop',
          clients: 2,
          behind: 2,
          missing_key: 1,
          outdated_sdk: 1,
          environments: ['prod'],
          client_types: ['node-sdk', 'python-sdk'],
          sdk_versions: ['0.0.9', '0.1.0'],
        },
        { app: 'site', clients: 1, behind: 0, environments: ['dev'], sdk_versions: [] },
      ],
    })
    expect(await summary('client_type=node-sdk')).toMatchObject({ clients: 1, consoles: 0, behind: 1 })
    const total = async (query: string) => (await server.call(`GET /api/clients?${query}`)).body.total
    expect(await total('kind=app')).toBe(3)
    expect(await total('kind=console')).toBe(1)
    expect(await total('state=behind')).toBe(2)
    expect(await total('state=missing_key')).toBe(1)
    expect(await total('state=outdated_sdk&state=missing_key')).toBe(2)
    expect(await total('state=outdated_sdk&client_type=python-sdk')).toBe(0)
    const first = (await server.call('GET /api/clients?state=behind&limit=1&sort=connected_at')).body
    expect(first).toMatchObject({ total: 2, data: [{ client_type: 'node-sdk', behind: ['counted'] }] })
    const path = `GET /api/clients?state=behind&limit=1&sort=connected_at&cursor=${first.next_cursor}`
    expect((await server.call(path)).body.data).toMatchObject([{ client_type: 'python-sdk' }])
    for (const query of ['state=late', 'kind=robot', 'summary=1'])
      expect((await server.call(`GET /api/clients?${query}`)).status).toBe(422)
    expect((await server.call('GET /api/clients/summary?state=behind')).status).toBe(422)
    await server.call(`DELETE /api/prompts/${id}`)
  })

  it('filters, searches, sorts and pages', async () => {
    const workspace = (await server.call('POST /api/workspaces', { body: { name: 'Shop' } })).body.data
    await join('?client=node-sdk&app=alpha&namespace=prod')
    await join('?client=java-sdk&app=beta&namespace=dev')
    await join(`?client=node-sdk&app=gamma&namespace=dev&workspace=shop`, admin.token)
    expect(await apps('sort=app')).toEqual(['alpha', 'beta', 'gamma'])
    expect(await apps('sort=-app')).toEqual(['gamma', 'beta', 'alpha'])
    expect(await apps('sort=connected_at')).toEqual(['alpha', 'beta', 'gamma'])
    expect(await apps('client_type=node-sdk&sort=app')).toEqual(['alpha', 'gamma'])
    expect(await apps('namespace=dev&sort=app')).toEqual(['beta', 'gamma'])
    expect(await apps('app=alpha&app=beta&sort=app')).toEqual(['alpha', 'beta'])
    expect(await apps('workspace=shop')).toEqual(['gamma'])
    expect(await apps(`workspace=${workspace.id}`)).toEqual(['gamma'])
    expect(await apps('q=ade')).toEqual(['gamma'])
    expect(await apps('q=java+dev')).toEqual(['beta'])
    expect(await apps('q=lpha')).toEqual([])
    const first = (await server.call('GET /api/clients?sort=app&limit=2')).body
    expect(first).toMatchObject({ total: 3, data: [{ app: 'alpha' }, { app: 'beta' }] })
    expect(await apps(`sort=app&limit=2&cursor=${first.next_cursor}`)).toEqual(['gamma'])
    expect(await apps('sort=app&offset=1&limit=1')).toEqual(['beta'])
  })

  it.each(['colour=red', 'client_type=toaster', 'include=everyone', 'cursor=x', 'limit=0'])(
    'returns 422 for %s',
    async (query) => {
      expect((await server.call(`GET /api/clients?${query}`)).status).toBe(422)
    },
  )
})

describe('DELETE /api/clients/:id', () => {
  it('closes the connection with 4403, and the log names the actor', async () => {
    const peer = await join('?app=checkout&namespace=dev')
    const reply = await server.call(`DELETE /api/clients/${peer.id}`, { token: admin.token })
    expect(reply).toMatchObject({ status: 200, body: { ok: true } })
    expect(await peer.closed).toEqual({ code: 4403, reason: 'Disconnected by an administrator' })
    expect((await server.call('GET /api/clients')).body.total).toBe(0)
    const [entry] = (await server.call('GET /api/audit?limit=1')).body.data
    expect(entry).toMatchObject({
      actor: 'adele',
      action: 'disconnect',
      resource: 'client',
      resource_id: peer.id,
      key: 'checkout',
      summary: 'Disconnected checkout (node-sdk, dev) at 127.0.0.1',
    })
  })

  it('is refused for an editor', async () => {
    const peer = await join('')
    const { token } = await server.signedIn('editor')
    expect((await server.call(`DELETE /api/clients/${peer.id}`, { token })).status).toBe(403)
    expect(peer.socket.readyState).toBe(peer.socket.OPEN)
  })

  it('returns 404 for unknown and disconnected clients, without an audit entry', async () => {
    const peer = await join('')
    peer.socket.close()
    await peer.closed
    await expect.poll(async () => (await server.call('GET /api/clients')).body.total).toBe(0)
    const before = (await server.call('GET /api/audit')).body.total
    for (const id of [peer.id, 'nobody'])
      expect((await server.call(`DELETE /api/clients/${id}`)).status).toBe(404)
    expect((await server.call('GET /api/audit')).body.total).toBe(before)
  })
})

describe('a reported run', () => {
  const run = { provider: 'openai', model: 'gpt-4o', latency_ms: 5, status: 'ok' }
  const report = async (headers: Record<string, string>, token = serviceToken): Promise<string | null> =>
    (await server.call('POST /api/runs', { body: run, headers, token })).body.data.client_id

  it('names the connection of the instance that sent it, even if that just ended', async () => {
    const peer = await join('?client=node-sdk&app=checkout')
    peer.send({ type: 'hello', instance_id: 'pod-9' })
    await expect
      .poll(async () => (await server.call('GET /api/clients')).body.data[0].instance_id)
      .toBe('pod-9')
    expect(await report({ 'promptdeck-instance': 'pod-9' })).toBe(peer.id)
    peer.socket.close()
    await peer.closed
    expect(await report({ 'promptdeck-instance': 'pod-9' })).toBe(peer.id)
    expect((await server.call(`GET /api/runs?client=${peer.id}`)).body.total).toBe(2)
  })

  it('names none without an instance, or for an unknown one or one of another account', async () => {
    const peer = await join('?client=node-sdk&app=checkout')
    peer.send({ type: 'hello', instance_id: 'pod-8' })
    await expect
      .poll(async () => (await server.call('GET /api/clients')).body.data[0].instance_id)
      .toBe('pod-8')
    expect(await report({})).toBeNull()
    expect(await report({ 'promptdeck-instance': '' })).toBeNull()
    expect(await report({ 'promptdeck-instance': 'pod-0' })).toBeNull()
    const { token } = await server.signedIn('viewer')
    expect(await report({ 'promptdeck-instance': 'pod-8' }, token)).toBeNull()
  })
})
