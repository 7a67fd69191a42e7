import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Peer } from '../server/live/live-support.ts'
import { type Instances, serverAt, startInstances } from './instances.ts'

let instances: Instances
beforeAll(async () => {
  instances = await startInstances(3)
})
afterAll(() => instances.close())

const on = (index: number) => serverAt(instances.servers, index)
/** An instance reads the clients of others each second. */
const soon = { timeout: 10_000 }

type Listed = { readonly id: string; readonly app: string }

async function clients(index: number, query: string): Promise<readonly Listed[]> {
  return (await on(index).call(`GET /api/clients?${query}`)).body.data
}
const appsOn = async (index: number, query: string): Promise<readonly string[]> =>
  (await clients(index, query)).map(({ app }) => app)

/** Opens a live connection of an app that uses a key. */
async function app(index: number, name: string, key: string): Promise<Peer> {
  const peer = await instances.open(index, `client=node-sdk&app=${name}&namespace=prod&instance_id=${name}`)
  peer.send({ type: 'subscribe', keys: [key] })
  return peer
}

async function newPrompt(key: string): Promise<string> {
  const reply = await on(0).call('POST /api/prompts', { body: { key, env: 'prod', content: 'one' } })
  expect(reply.status).toBe(201)
  return reply.body.data.id
}

describe('clients of other instances', () => {
  it('are listed and counted by every instance, connected or not', async () => {
    const peers = await Promise.all([0, 1, 2].map((index) => app(index, `listed-${index}`, 'listed')))
    const names = ['listed-0', 'listed-1', 'listed-2']
    for (const index of [0, 1, 2]) {
      await expect.poll(() => appsOn(index, 'q=listed&sort=app'), soon).toEqual(names)
      const { data } = (await on(index).call('GET /api/clients/summary?q=listed')).body
      expect(data).toMatchObject({ clients: 3, consoles: 0 })
      const found = (await on(index).call('GET /api/search?q=listed-2')).body.data
      expect(found[0]).toMatchObject({ kind: 'client', label: 'listed-2' })
    }
    const [own] = await clients(1, 'app=listed-1')
    expect(own).toMatchObject({ instance_id: 'listed-1', keys: ['listed'], missing: ['listed'] })
    await expect
      .poll(() => clients(2, 'app=listed-1'), soon)
      .toEqual([{ ...own, last_seen_at: expect.any(String) }])
    peers[1]?.socket.close()
    await expect.poll(() => appsOn(0, 'q=listed&sort=app'), soon).toEqual(['listed-0', 'listed-2'])
    const all = await clients(0, 'app=listed-1&include=gone')
    expect(all).toMatchObject([{ app: 'listed-1', disconnected_at: expect.any(String) }])
  })

  it('count as users of a key, and are sent its version again', async () => {
    const id = await newPrompt('rolled')
    const current = await app(1, 'rolled-current', 'rolled')
    current.send({ type: 'ack', seq: 0, key: 'rolled', version: 'v1' })
    const behind = await app(2, 'rolled-behind', 'rolled')
    const figures = async () => (await on(0).call(`GET /api/prompts/${id}/convergence`)).body.data
    await expect.poll(figures, soon).toMatchObject({ total: 2, current: 1, behind: 1 })
    expect((await on(0).call('GET /api/prompts?q=rolled')).body.data[0].client_count).toBe(2)
    expect((await on(0).call(`POST /api/prompts/${id}/push`)).body.data).toEqual({ pushed: 1, version: 'v1' })
    expect(await behind.next()).toMatchObject({ type: 'prompt.published', key: 'rolled', version: 'v1' })
    behind.send({ type: 'ack', seq: 0, key: 'rolled', version: 'v1' })
    await expect.poll(figures, soon).toMatchObject({ total: 2, current: 2, behind: 0 })
  })

  it('are disconnected, and the consoles of every instance are notified', async () => {
    const console = await instances.open(2, 'client=browser&namespace=*')
    const notices = () =>
      console.frames.filter(({ type, entity }) => type === 'changed' && entity === 'client').length
    // Of its own connection.
    await expect.poll(notices, soon).toBeGreaterThan(0)
    const before = notices()
    const peer = await app(1, 'ended', 'ended')
    await expect.poll(notices, soon).toBeGreaterThan(before)
    await expect.poll(() => appsOn(0, 'q=ended'), soon).toEqual(['ended'])
    const [client] = await clients(0, 'q=ended')
    expect((await on(0).call(`DELETE /api/clients/${client?.id}`)).status).toBe(200)
    expect((await peer.closed).code).toBe(4403)
    for (const index of [0, 2]) await expect.poll(() => appsOn(index, 'q=ended'), soon).toEqual([])
    expect((await on(0).call(`DELETE /api/clients/${client?.id}`)).status).toBe(404)
  })

  it('are known to the instance to which they report runs', async () => {
    await app(1, 'reporting', 'reported')
    await expect.poll(() => appsOn(0, 'q=reporting'), soon).toEqual(['reporting'])
    const [client] = await clients(0, 'q=reporting')
    const run = { provider: 'openai', model: 'reported', status: 'ok', latency_ms: 1 }
    const headers = { 'promptdeck-instance': 'reporting' }
    const reply = await on(0).call('POST /api/runs', { body: run, headers })
    const { body } = await on(2).call(`GET /api/runs/${reply.body.data.id}`)
    expect(body.data).toMatchObject({ client_id: client?.id })
  })

  it('leave the list with their instance', async () => {
    await app(2, 'leaving', 'left')
    await expect.poll(() => appsOn(0, 'q=leaving'), soon).toEqual(['leaving'])
    await on(2).stop()
    await expect.poll(() => appsOn(0, 'q=leaving&include=gone'), soon).toEqual([])
  })
})
