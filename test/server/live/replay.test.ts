import { afterEach, describe, expect, it } from 'vitest'
import { createBus } from '../../../server/history/events/bus.ts'
import type { Missed } from '../../../server/history/events/replay.ts'
import { type Log, newDataDir, openLog, removeDataDir } from '../audit/audit-support.ts'
import { awaitDelivery, type LiveService, type Peer, published, startLive } from './live-support.ts'

let live: LiveService
let log: Log | null = null
afterEach(async () => {
  await live.close()
  if (log !== null) {
    await log.close()
    await removeDataDir(log.dataDir)
  }
  log = null
})

const afterHello = (peer: Peer) => peer.frames.slice(1)

describe('after a reconnect', () => {
  const prompt = (key: string, env: 'dev' | 'prod' = 'prod', workspace_id = 'default') =>
    ({ type: 'prompt.published', id: `p-${key}`, key, env, version: 'v1', workspace_id }) as const

  async function withLog(): Promise<Log> {
    const opened = await openLog(await newDataDir())
    log = opened
    live = await startLive({ log: opened, bus: createBus() })
    return opened
  }
  const publish = async (opened: Log, event: ReturnType<typeof prompt>) => {
    const before = opened.announced.length
    await opened.record({
      action: 'publish',
      resource: 'prompt',
      resourceId: event.id,
      promptEvents: [event],
    })
    for (const announcement of opened.announced.slice(before)) live.bus.announce(announcement)
  }

  it('since_seq returns the missed frames in order, before newer ones, and none of others', async () => {
    const opened = await withLog()
    await publish(opened, prompt('one'))
    const first = await live.openReady()
    const seen = Math.max(...opened.announced.map((event) => (event.kind === 'frame' ? event.frame.seq : 0)))
    first.socket.close()
    await publish(opened, prompt('two'))
    await publish(opened, prompt('dev only', 'dev'))
    await publish(opened, prompt('elsewhere', 'prod', 'w-1'))
    await publish(opened, prompt('three'))
    const again = await live.open(`?since_seq=${seen}`, { authorization: 'Bearer ann' })
    expect((await again.take(3)).map((frame) => frame.key ?? frame.type)).toEqual(['hello', 'two', 'three'])
    await publish(opened, prompt('four'))
    await awaitDelivery(again)
    const keys = afterHello(again).map((frame) => frame.key)
    expect(keys).toEqual(['two', 'three', 'four'])
    const numbers = afterHello(again).map((frame) => frame.seq)
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
  })

  it('a hello with since_seq does the same', async () => {
    const opened = await withLog()
    await publish(opened, prompt('one'))
    const peer = await live.open()
    peer.send({ type: 'hello', token: 'ann', since_seq: 0 })
    expect((await peer.take(2)).map((frame) => frame.type)).toEqual(['hello', 'prompt.published'])
  })

  it('new frames wait until the missed ones are sent, each once', async () => {
    const opened = await withLog()
    await publish(opened, prompt('one'))
    const peer = await live.open()
    peer.send({ type: 'hello', token: 'ann', since_seq: 0 })
    const more = ['two', 'three', 'four'].map((key) => prompt(key))
    for (const event of more) await publish(opened, event)
    await peer.take(5)
    await awaitDelivery(peer)
    expect(afterHello(peer).map((frame) => frame.key)).toEqual(['one', 'two', 'three', 'four'])
  })

  it('nothing is replayed without since_seq', async () => {
    const opened = await withLog()
    await publish(opened, prompt('one'))
    const peer = await live.openReady()
    await awaitDelivery(peer)
    expect(afterHello(peer)).toEqual([])
  })

  it('a console gets the changes, and must fetch runs and clients again', async () => {
    const opened = await withLog()
    await publish(opened, prompt('one'))
    const peer = await live.open('?namespace=*&since_seq=0', { authorization: 'Bearer ann' })
    const frames = await peer.take(5)
    expect(frames.slice(1).map((frame) => [frame.type, frame.entity])).toEqual([
      ['changed', 'prompt'],
      ['changed', 'audit'],
      ['changed', 'run'],
      ['changed', 'client'],
    ])
  })

  it.each([
    ['that missed too many frames', 10, 6000],
    ['with a number from the future, as after a restore', 7000, 6000],
  ])('a client %s receives a resync', async (_, since, seq) => {
    const opened = await withLog()
    await opened.db.write(async (tx) => {
      await tx.q.insertInto('meta').values({ key: 'live_seq', value: seq }).execute()
    })
    const peer = await live.open(`?since_seq=${since}`, { authorization: 'Bearer ann' })
    expect((await peer.take(2))[1]).toEqual({ type: 'resync', seq })
    await publish(opened, prompt('next'))
    expect(await peer.next()).toMatchObject({ key: 'next', seq: seq + 1 })
  })

  it('a client exactly at the limit of the buffer gets a replay', async () => {
    const opened = await withLog()
    await opened.db.write(async (tx) => {
      await tx.q.insertInto('meta').values({ key: 'live_seq', value: 4997 }).execute()
    })
    await publish(opened, prompt('kept'))
    const peer = await live.open('?since_seq=0', { authorization: 'Bearer ann' })
    expect((await peer.take(2))[1]).toMatchObject({ key: 'kept' })
    const late = await live.open('?since_seq=1', { authorization: 'Bearer ann' })
    expect((await late.take(2))[1]).toMatchObject({ key: 'kept' })
  })

  it('a hello that asks for older frames after newer ones were sent gets a resync, never frames out of order', async () => {
    const opened = await withLog()
    await publish(opened, prompt('one'))
    const peer = await live.openReady()
    await publish(opened, prompt('two'))
    await peer.next()
    peer.send({ type: 'hello', since_seq: 0 })
    expect(await peer.next()).toMatchObject({ type: 'resync' })
    await awaitDelivery(peer)
    expect(afterHello(peer).map((frame) => frame.type)).toEqual(['prompt.published', 'resync'])
  })

  it("a later hello that asks for older frames gets a resync, because the service's hello had the newest number", async () => {
    const opened = await withLog()
    await publish(opened, prompt('one'))
    const peer = await live.openReady()
    const { seq } = peer.frames[0]
    peer.send({ type: 'hello', since_seq: 0 })
    expect(await peer.next()).toEqual({ type: 'resync', seq })
    await awaitDelivery(peer)
    expect(afterHello(peer)).toHaveLength(1)
  })

  it('a later hello that asks for nothing older needs no resync', async () => {
    const opened = await withLog()
    await publish(opened, prompt('one'))
    const peer = await live.openReady()
    peer.send({ type: 'hello', since_seq: peer.frames[0].seq })
    await awaitDelivery(peer)
    await publish(opened, prompt('two'))
    expect(await peer.next()).toMatchObject({ key: 'two' })
  })

  it('a replay larger than the buffer of a socket arrives completely', async () => {
    const key = 'k'.repeat(1000)
    const frames = Array.from({ length: 3000 }, (_, i) => ({
      frame: published(i + 1, key),
      namespace: 'prod',
      workspaceId: 'default',
    }))
    const missed: Missed = { kind: 'frames', frames }
    live = await startLive({ replay: { seq: async () => 3000, missed: async () => missed } })
    const peer = await live.open('?since_seq=0', { authorization: 'Bearer ann' })
    const received = await peer.take(3001)
    expect(received.slice(1).map((frame) => frame.seq)).toEqual(frames.map(({ frame }) => frame.seq))
  })
})
