import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { type LiveService, published, startLive } from './live-support.ts'

let live: LiveService
afterEach(() => live.close())

const clients = () => live.hub.clients({ includeDisconnected: false })

describe('a client that does not read', () => {
  it('is closed with 1013, while another gets all frames without delay', async () => {
    live = await startLive({ limits: { closeMs: 10_000 } })
    const slow = await live.openReady()
    const quick = await live.openReady()
    slow.pauseReading()
    const key = 'k'.repeat(60_000)
    for (let seq = 1; clients().length === 2; seq += 1) {
      live.announce(published(seq, key), 'prod', 'default')
      // Each frame arrives before the next is sent.
      expect(await quick.next()).toMatchObject({ seq })
      if (seq > 2000) throw new Error('the slow client was never closed')
    }
    expect(clients()).toHaveLength(1)
    slow.resumeReading()
    expect(await slow.closed).toMatchObject({ code: 1013 })
    expect(quick.socket.readyState).toBe(quick.socket.OPEN)
  })

  it('is terminated if it does not read the close frame either', async () => {
    live = await startLive({ limits: { closeMs: 30 } })
    const slow = await live.openReady()
    slow.pauseReading()
    for (let seq = 1; clients().length === 1; seq += 1) {
      live.announce(published(seq, 'k'.repeat(60_000)), 'prod', 'default')
      await new Promise(setImmediate)
    }
    await expect.poll(() => live.hub.count()).toBe(0)
  })
})

describe('the heartbeat', () => {
  it('keeps a client that replies, and records when it was last seen', async () => {
    live = await startLive({ limits: { heartbeatMs: 20 } })
    const peer = await live.openReady()
    const [before] = clients()
    live.clock.advance(5000)
    await expect.poll(() => clients()[0]?.last_seen_at).not.toBe(before?.last_seen_at)
    for (let pings = 0; pings < 5; pings += 1) await once(peer.socket, 'ping')
    expect(clients()).toHaveLength(1)
  })

  it('disconnects a client after two unanswered pings', async () => {
    live = await startLive({ limits: { heartbeatMs: 25 } })
    const peer = await live.openReady()
    peer.pauseReading()
    await expect.poll(() => live.hub.count(), { timeout: 2000 }).toBe(0)
    expect(live.hub.clients({ includeDisconnected: true })).toMatchObject([
      { disconnected_at: expect.any(String) },
    ])
  })

  it('is sent to clients in seconds', async () => {
    live = await startLive({ limits: { heartbeatMs: 2000 } })
    const peer = await live.open('', { authorization: 'Bearer ann' })
    expect(await peer.next()).toMatchObject({ heartbeat_s: 2 })
  })
})

describe('the end of a connection', () => {
  it('by a stop of the service is 1001 for all, including clients that never read it', async () => {
    live = await startLive({ limits: { closeMs: 100 } })
    const peer = await live.openReady()
    const frozen = await live.openReady()
    const unauthenticated = await live.open()
    frozen.pauseReading()
    await live.hub.close()
    expect(await peer.closed).toMatchObject({ code: 1001 })
    expect(await unauthenticated.closed).toMatchObject({ code: 1001 })
    expect(live.hub.count()).toBe(0)
  })
})

describe('the registry', () => {
  it('stores the versions a client acknowledged, the newest per key', async () => {
    live = await startLive()
    const peer = await live.openReady()
    peer.send({ type: 'ack', seq: 1, key: 'greet', version: 'v1' })
    peer.send({ type: 'ack', seq: 2, key: 'other', version: 'v9' })
    peer.send({ type: 'ack', seq: 3, key: 'greet', version: 'v2' })
    const at = live.clock.now().toISOString()
    await expect
      .poll(() => clients()[0]?.acked)
      .toEqual([
        { key: 'other', version: 'v9', at },
        { key: 'greet', version: 'v2', at },
      ])
  })

  it('combines the keys that a client names', async () => {
    live = await startLive()
    const peer = await live.openReady()
    peer.send({ type: 'subscribe', keys: ['a', 'b'] })
    peer.send({ type: 'subscribe', keys: ['b', 'c'] })
    await expect.poll(() => clients()[0]?.keys).toEqual(['a', 'b', 'c'])
  })

  it('stores disconnected clients for an hour', async () => {
    live = await startLive()
    const peer = await live.openReady('?app=short-lived')
    peer.socket.close()
    await expect.poll(() => clients()).toEqual([])
    const listed = () => live.hub.clients({ includeDisconnected: true })
    expect(listed()).toMatchObject([{ app: 'short-lived', disconnected_at: live.clock.now().toISOString() }])
    live.clock.advance(3_599_000)
    expect(listed()).toHaveLength(1)
    live.clock.advance(1_001)
    expect(listed()).toEqual([])
  })

  it('limits the number of disconnected clients', async () => {
    live = await startLive({ limits: { maxDisconnected: 3 } })
    for (let i = 0; i < 5; i += 1) {
      const peer = await live.openReady(`?app=app-${i}`)
      peer.socket.close()
      await expect.poll(() => clients()).toEqual([])
    }
    expect(live.hub.clients({ includeDisconnected: true }).map((client) => client.app)).toEqual([
      'app-2',
      'app-3',
      'app-4',
    ])
  })

  it('shows the address that a trusted proxy forwards, and ignores that of others', async () => {
    live = await startLive({ config: { trustedProxies: ['127.0.0.0/8'], allowUrlToken: false } })
    await live.open('', { authorization: 'Bearer ann', 'x-forwarded-for': '6.6.6.6, 192.0.2.7' })
    expect(clients()).toMatchObject([{ remote_addr: '192.0.2.7' }])
    await live.close()
    live = await startLive()
    await live.open('', { authorization: 'Bearer ann', 'x-forwarded-for': '192.0.2.7' })
    expect(clients()).toMatchObject([{ remote_addr: '127.0.0.1' }])
  })
})
