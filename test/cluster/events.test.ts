import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestServer } from '../support/service.ts'
import { type Instances, serverAt, startInstances } from './instances.ts'

let instances: Instances
let a: TestServer
let b: TestServer
beforeAll(async () => {
  instances = await startInstances(3)
  a = serverAt(instances.servers, 0)
  b = serverAt(instances.servers, 1)
})
afterAll(() => instances.close())

const sdk = 'client=node-sdk&app=shop&namespace=prod'

async function newPrompt(key: string): Promise<string> {
  const reply = await a.call('POST /api/prompts', { body: { key, env: 'prod', content: 'one' } })
  expect(reply.status).toBe(201)
  return reply.body.data.id
}

async function publish(server: TestServer, id: string, content: string): Promise<void> {
  expect((await server.call(`PATCH /api/prompts/${id}`, { body: { content } })).status).toBe(200)
  expect((await server.call(`POST /api/prompts/${id}/publish`, { body: {} })).status).toBe(200)
}

describe('live events of several instances', () => {
  it('reach the sockets of every instance once and in order, whichever instance publishes', async () => {
    const peers = await Promise.all([0, 1, 2].map((index) => instances.open(index, sdk)))
    const id = await newPrompt('ordered')
    const versions = ['v2', 'v3', 'v4', 'v5', 'v6', 'v7']
    for (const [index, version] of versions.entries())
      await publish(serverAt(instances.servers, index % 3), id, version)
    for (const peer of peers) {
      expect(await peer.next()).toMatchObject({ type: 'prompt.created', key: 'ordered' })
      const frames = await peer.take(versions.length)
      expect(frames.map(({ type, version }) => [type, version])).toEqual(
        versions.map((version) => ['prompt.published', version]),
      )
    }
    // Changes at the same time on different prompts: every socket receives the same numbers in the same order.
    const ids = await Promise.all(['x', 'y', 'z'].map(newPrompt))
    await Promise.all(ids.map((each, index) => publish(serverAt(instances.servers, index), each, 'two')))
    const received = await Promise.all(peers.map((peer) => peer.take(6)))
    const numbers = received.map((frames) => frames.map(({ seq }) => seq))
    expect(numbers[0]).toEqual(numbers[0]?.toSorted((x, y) => x - y))
    expect(new Set(numbers[0]).size).toBe(6)
    expect(numbers[1]).toEqual(numbers[0])
    expect(numbers[2]).toEqual(numbers[0])
  })

  it('are replayed by another instance than the one that sent the earlier ones', async () => {
    const first = await instances.open(0, sdk)
    const id = await newPrompt('moving')
    expect(await first.next()).toMatchObject({ type: 'prompt.created', key: 'moving' })
    await publish(b, id, 'two')
    const { seq } = await first.next()
    first.socket.terminate()
    await publish(a, id, 'three')
    const second = await instances.open(2, sdk, { since: seq })
    expect(await second.next()).toMatchObject({ type: 'prompt.published', key: 'moving', version: 'v3' })
  })

  it('announce a setting after it has taken effect on the instance', async () => {
    const console = await instances.open(1, 'client=browser&namespace=*')
    expect((await a.call('PATCH /api/settings', { body: { capture: 'full' } })).status).toBe(200)
    let frame = await console.next()
    // Consoles also receive that clients connected and disconnected, on any instance.
    while (frame.entity === 'client') frame = await console.next()
    expect(frame).toMatchObject({ type: 'changed', entity: 'setting', id: 'capture' })
    // The frame comes after the change has taken effect.
    expect((await b.call('GET /api/settings')).body.data.capture).toBe('full')
  })
})

describe('access that one instance ends', () => {
  it('closes the sockets of the other instances', async () => {
    const user = await a.signedIn('editor')
    const other = await a.signedIn('editor')
    const peer = await instances.open(1, sdk, { token: user.token })
    const kept = await instances.open(1, sdk, { token: other.token })
    expect((await a.call(`PATCH /api/users/${user.id}`, { body: { role: 'viewer' } })).status).toBe(200)
    expect((await a.call('POST /api/logout', { token: user.token })).status).toBe(200)
    expect((await peer.closed).code).toBe(4401)
    const token = await a.call('POST /api/tokens', { body: { name: 'app', role: 'viewer' } })
    const app = await instances.open(2, sdk, { token: token.body.data.token })
    expect((await b.call(`DELETE /api/tokens/${token.body.data.id}`)).status).toBe(200)
    expect((await app.closed).code).toBe(4401)
    expect((await b.call(`PATCH /api/users/${other.id}`, { body: { disabled: true } })).status).toBe(200)
    expect((await kept.closed).code).toBe(4401)
  })
})
