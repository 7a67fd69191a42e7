import { afterEach, describe, expect, it } from 'vitest'
import type { MissedFrames } from '../../../server/live/frames/send-queue.ts'
import { awaitDelivery, type LiveService, type Peer, startLive } from './live-support.ts'
import { change, forConsoles, numbers, sorted } from './order-support.ts'

describe('within a socket', () => {
  let live: LiveService
  afterEach(() => live.close())

  /** Creates a replay that completes when the test resolves it. */
  function slowReplay() {
    let resolveMissed: (missed: MissedFrames) => void = () => undefined
    const missed = new Promise<MissedFrames>((resolve) => {
      resolveMissed = resolve
    })
    let resolveRequested: () => void = () => undefined
    const requested = new Promise<void>((resolve) => {
      resolveRequested = resolve
    })
    const replay = {
      seq: async () => 5,
      missed: () => {
        resolveRequested()
        return missed
      },
    }
    return {
      replay,
      requested,
      answer: (frames: number[]) => resolveMissed({ kind: 'frames', frames: frames.map(forConsoles) }),
    }
  }

  const entities = (peer: Peer) => peer.frames.map((frame) => `${frame.entity ?? frame.type} ${frame.seq}`)

  it('a frame about runs that waited for a replay has no lower number than the replay', async () => {
    const { replay, requested, answer } = slowReplay()
    live = await startLive({ replay, limits: { coalesceMs: 1 } })
    const otherPeer = await live.openReady('?namespace=*')
    const peer = await live.open('?namespace=*&since_seq=5', { authorization: 'Bearer ann' })
    await requested
    live.announce(change(6))
    live.bus.announce({ kind: 'runs', workspaceIds: ['default'] })
    // The other peer has its frame about runs; that of the peer waits in its send queue.
    await expect.poll(() => otherPeer.frames.some((frame) => frame.entity === 'run')).toBe(true)
    for (const seq of [7, 8, 9, 10]) live.announce(change(seq))
    await awaitDelivery(otherPeer)
    answer([6, 7, 8, 9, 10])
    live.announce(change(11))
    await expect.poll(() => entities(peer)).toContain('prompt 11')
    expect(numbers(peer.frames)).toEqual(sorted(numbers(peer.frames)))
    expect(entities(peer).filter((text) => text.startsWith('prompt'))).toEqual(
      [6, 7, 8, 9, 10, 11].map((seq) => `prompt ${seq}`),
    )
  })

  it('frames announced during the replay are not lost', async () => {
    const { replay, requested, answer } = slowReplay()
    live = await startLive({ replay })
    const otherPeer = await live.openReady('?namespace=*')
    const peer = await live.open('?namespace=*&since_seq=5', { authorization: 'Bearer ann' })
    await requested
    // Committed after the rows were read, announced before the replay is sent.
    for (const seq of [6, 7, 8]) live.announce(change(seq))
    await awaitDelivery(otherPeer)
    answer([6])
    await expect.poll(() => entities(peer)).toContain('prompt 8')
    expect(entities(peer).filter((text) => text.startsWith('prompt'))).toEqual([
      'prompt 6',
      'prompt 7',
      'prompt 8',
    ])
  })

  it('the hello for a client that asked for older frames has the number from its request', async () => {
    const { replay, answer } = slowReplay()
    live = await startLive({ replay })
    for (const seq of [6, 7, 8]) live.announce(change(seq))
    answer([7, 8])
    const peer = await live.open('?namespace=*&since_seq=6', { authorization: 'Bearer ann' })
    expect((await peer.take(3)).map((frame) => frame.seq)).toEqual([6, 7, 8])
  })

  it('a second hello never starts a second replay', async () => {
    const { replay, requested, answer } = slowReplay()
    live = await startLive({ replay })
    const peer = await live.open('?namespace=*&since_seq=5', { authorization: 'Bearer ann' })
    await requested
    peer.send({ type: 'hello', since_seq: 2 })
    for (const seq of [6, 7, 8]) live.announce(change(seq))
    answer([6, 7, 8])
    await expect.poll(() => peer.frames.some((frame) => frame.type === 'resync')).toBe(true)
    live.announce(change(9))
    await expect.poll(() => entities(peer)).toContain('prompt 9')
    expect(numbers(peer.frames)).toEqual(sorted(numbers(peer.frames)))
  })
})
