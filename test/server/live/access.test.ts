import { afterEach, describe, expect, it } from 'vitest'
import { identity, type LiveService, published, startLive } from './live-support.ts'

let live: LiveService
afterEach(() => live.close())

const clients = () => live.hub.clients({ includeDisconnected: false })

describe('when access changes', () => {
  it('closes the sockets of a replaced service token', async () => {
    live = await startLive()
    const actor = {
      kind: 'service_token',
      id: null,
      name: 'service-token',
      role: 'admin',
      sessionId: null,
    } as const
    live.identities.set('service', identity('service', { actor, auth: 'service_token' }))
    const service = await live.openReady('', 'service')
    const ann = await live.openReady()
    live.identities.delete('service')
    live.hub.recheck({ tokenKind: 'service_token' })
    expect(await service.closed).toMatchObject({ code: 4401 })
    expect(ann.socket.readyState).toBe(ann.socket.OPEN)
  })

  it('keeps the socket after a demotion, and shows a new name', async () => {
    live = await startLive()
    const ann = await live.openReady()
    const { actor } = identity('ann')
    live.identities.set('ann', identity('ann', { actor: { ...actor, role: 'viewer', name: 'anna' } }))
    live.hub.recheck({ userId: actor.id ?? '' })
    await expect.poll(() => clients()[0]?.username).toBe('anna')
    expect(ann.socket.readyState).toBe(ann.socket.OPEN)
  })

  it('closes the socket of a user who must choose a new password', async () => {
    live = await startLive()
    const ann = await live.openReady()
    live.identities.set('ann', identity('ann', { isBlocked: true }))
    live.hub.recheck({})
    expect(await ann.closed).toMatchObject({ code: 4401 })
  })

  it('closes the socket of an expired session automatically', async () => {
    live = await startLive({ limits: { expiryMs: 20 } })
    const expiresAt = new Date(live.clock.now().getTime() + 60_000)
    live.identities.set('ann', identity('ann', { expiresAt }))
    const ann = await live.openReady()
    live.clock.advance(60_001)
    expect(await ann.closed).toMatchObject({ code: 4401 })
  })

  it('keeps the socket of a session that was used meanwhile', async () => {
    live = await startLive({ limits: { expiryMs: 20 } })
    const at = (ms: number) => new Date(live.clock.now().getTime() + ms)
    live.identities.set('ann', identity('ann', { expiresAt: at(60_000) }))
    const ann = await live.openReady()
    live.identities.set('ann', identity('ann', { expiresAt: at(120_000) }))
    const lookups = live.lookups.count
    live.clock.advance(60_001)
    await expect.poll(() => live.lookups.count).toBeGreaterThan(lookups)
    expect(ann.socket.readyState).toBe(ann.socket.OPEN)
  })
})

describe('an SDK of PromptOps with its token in the URL and without a hello', () => {
  const deleted = (seq: number) => ({ ...published(seq), type: 'prompt.deleted' }) as const

  it('gets no prompt.deleted, and every other frame', async () => {
    live = await startLive()
    const peer = await live.open('?token=ann&client=python-sdk&namespace=prod')
    await peer.next()
    const newer = await live.openReady('?client=python-sdk&namespace=prod')
    live.announce(deleted(1), 'prod', 'default')
    live.announce(published(2), 'prod', 'default')
    expect(await newer.take(2)).toEqual([deleted(1), published(2)])
    expect(await peer.next()).toEqual(published(2))
  })

  it('gets it once it has sent a hello', async () => {
    live = await startLive({ limits: { helloGraceMs: 5000 } })
    const peer = await live.open('?token=ann&client=node-sdk')
    peer.send({ type: 'hello' })
    await peer.next()
    live.announce(deleted(1), 'prod', 'default')
    expect(await peer.next()).toEqual(deleted(1))
  })

  /** Connects a client that never answers a ping. */
  const openWithoutPong = async (query: string, headers: Record<string, string> = {}) => {
    const peer = await live.open(query, headers)
    peer.socket.pong = () => undefined
    await peer.next()
    return peer
  }

  it('is kept without pongs while its connection accepts data; others are not', async () => {
    live = await startLive({ limits: { heartbeatMs: 20 } })
    const older = await openWithoutPong('?token=ann&client=python-sdk')
    const newer = await openWithoutPong('?client=python-sdk', { authorization: 'Bearer ann' })
    let pings = 0
    older.socket.on('ping', () => {
      pings += 1
    })
    await newer.closed
    await expect.poll(() => pings, { timeout: 5000 }).toBeGreaterThan(10)
    expect(clients()).toHaveLength(1)
    live.announce(published(1), 'prod', 'default')
    expect(await older.next()).toEqual(published(1))
  })

  it('is disconnected when its connection accepts no more data', async () => {
    live = await startLive({ limits: { heartbeatMs: 20, maxBufferedBytes: 64 * 1024 * 1024 } })
    const peer = await live.open('?token=ann&client=python-sdk&namespace=prod')
    await peer.next()
    peer.pauseReading()
    // More than the buffers of the system can contain.
    for (let seq = 1; seq <= 200; seq += 1)
      live.announce(published(seq, 'k'.repeat(100_000)), 'prod', 'default')
    await expect.poll(() => live.hub.count(), { timeout: 5000 }).toBe(0)
  })
})
