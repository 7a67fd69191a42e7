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

describe('a client gets', () => {
  it('the prompts of its own environment only', async () => {
    live = await startLive()
    const dev = await live.openReady('?namespace=dev')
    const prod = await live.openReady('?namespace=prod')
    const inDev = { ...published(1), env: 'dev' } as const
    live.announce(inDev, 'dev', 'default')
    live.announce(published(2), 'prod', 'default')
    live.announce({ type: 'changed', seq: 3, entity: 'prompt', id: 'p' })
    live.bus.announce({ kind: 'runs', workspaceIds: ['default'] })
    await awaitDelivery(dev, prod)
    expect(afterHello(dev)).toEqual([inDev])
    expect(afterHello(prod)).toEqual([published(2)])
  })

  it('prod when it names no environment', async () => {
    live = await startLive()
    const peer = await live.openReady()
    live.announce(published(1), 'prod', 'default')
    expect(await peer.next()).toEqual(published(1))
  })

  it('the prompts of the workspace it named, by id or slug; else of the default one', async () => {
    live = await startLive()
    const [none, byId, bySlug, nowhere] = await Promise.all(
      ['', '?workspace=w-1', '?workspace=team', '?workspace=nowhere'].map((query) => live.openReady(query)),
    )
    live.announce(published(1, 'a', 'default'), 'prod', 'default')
    live.announce(published(2, 'b', 'w-1'), 'prod', 'w-1')
    const peers = [none, byId, bySlug, nowhere].filter((peer) => peer !== undefined)
    await awaitDelivery(...peers)
    expect(peers.map((peer) => afterHello(peer).map((frame) => frame.key))).toEqual([['a'], ['b'], ['b'], []])
  })

  it('the prompts of a workspace that is created after it connected', async () => {
    const known = new Map([['default', 'default']])
    live = await startLive({
      findWorkspace: async (name) => {
        const id = known.get(name)
        return id === undefined ? null : { id, slug: name }
      },
    })
    const peer = await live.openReady('?workspace=later')
    known.set('later', 'w-7').set('w-7', 'w-7')
    live.announce({ type: 'changed', seq: 1, entity: 'workspace', id: 'w-7' })
    await awaitDelivery(peer)
    live.announce(published(2, 'a', 'w-7'), 'prod', 'w-7')
    expect(await peer.next()).toMatchObject({ seq: 2 })
  })

  it('frames announced between its connection and its hello, after the hello and with higher numbers', async () => {
    live = await startLive({ limits: { helloGraceMs: 60 } })
    const peer = await live.open('', { authorization: 'Bearer ann' })
    await expect.poll(() => live.hub.clients({ includeDisconnected: false }).length).toBe(1)
    live.announce(published(7), 'prod', 'default')
    const [hello, frame] = await peer.take(2)
    expect(hello).toMatchObject({ type: 'hello', seq: 0 })
    expect(frame).toEqual(published(7))
  })
})

describe('a console gets', () => {
  it('changes of all environments, and no prompt frames', async () => {
    live = await startLive()
    const peer = await live.openReady('?namespace=*')
    live.announce(published(1), 'prod', 'default')
    live.announce({ type: 'changed', seq: 2, entity: 'prompt', id: 'p' }, null, 'w-1')
    live.announce({ type: 'changed', seq: 3, entity: 'user', id: 'u' })
    await awaitDelivery(peer)
    expect(afterHello(peer).filter((frame) => frame.entity !== 'client')).toEqual([
      { type: 'changed', seq: 2, entity: 'prompt', id: 'p' },
      { type: 'changed', seq: 3, entity: 'user', id: 'u' },
    ])
  })

  it('only changes of the workspace it named, and those without a workspace', async () => {
    live = await startLive()
    const peer = await live.openReady('?namespace=*&workspace=team')
    live.announce({ type: 'changed', seq: 1, entity: 'prompt', id: 'here' }, null, 'w-1')
    live.announce({ type: 'changed', seq: 2, entity: 'prompt', id: 'there' }, null, 'default')
    live.announce({ type: 'changed', seq: 3, entity: 'user', id: 'u' })
    await awaitDelivery(peer)
    expect(afterHello(peer).flatMap((frame) => (frame.entity === 'client' ? [] : [frame.id]))).toEqual([
      'here',
      'u',
    ])
  })

  it('one frame for each burst of runs', async () => {
    live = await startLive({ limits: { coalesceMs: 60 } })
    const peer = await live.openReady('?namespace=*')
    await expect.poll(() => afterHello(peer).length).toBe(1)
    live.announce({ type: 'changed', seq: 5, entity: 'user', id: 'u' })
    for (let i = 0; i < 500; i += 1) live.bus.announce({ kind: 'runs', workspaceIds: ['default'] })
    await expect.poll(() => afterHello(peer).length).toBe(3)
    for (let i = 0; i < 500; i += 1) live.bus.announce({ kind: 'runs', workspaceIds: ['default'] })
    await expect.poll(() => afterHello(peer).length).toBe(4)
    await awaitDelivery(peer)
    expect(afterHello(peer).slice(1)).toEqual([
      { type: 'changed', seq: 5, entity: 'user', id: 'u' },
      { type: 'changed', seq: 5, entity: 'run', id: null },
      { type: 'changed', seq: 5, entity: 'run', id: null },
    ])
  })

  it('one frame for a burst of clients that connect and disconnect', async () => {
    live = await startLive({ limits: { coalesceMs: 80 } })
    const peer = await live.openReady('?namespace=*')
    await expect
      .poll(() => afterHello(peer))
      .toEqual([{ type: 'changed', seq: 0, entity: 'client', id: null }])
    const others = await Promise.all([1, 2, 3].map(() => live.openReady()))
    for (const other of others) other.socket.close()
    await expect.poll(() => live.hub.clients({ includeDisconnected: false }).length).toBe(1)
    await expect.poll(() => afterHello(peer).length).toBeGreaterThan(1)
    expect(afterHello(peer).length).toBeLessThan(5)
    expect(new Set(afterHello(peer).map((frame) => frame.entity))).toEqual(new Set(['client']))
  })

  it('one frame for many changes of one kind, with the newest number', async () => {
    live = await startLive()
    const peer = await live.openReady('?namespace=*')
    for (let seq = 1; seq <= 2000; seq += 2) {
      live.announce({ type: 'changed', seq, entity: 'prompt', id: `p-${seq}` }, null, 'w-1')
      live.announce({ type: 'changed', seq: seq + 1, entity: 'audit', id: `${seq}` })
    }
    await awaitDelivery(peer)
    expect(afterHello(peer).filter((frame) => frame.entity !== 'client')).toEqual([
      { type: 'changed', seq: 1999, entity: 'prompt', id: null },
      { type: 'changed', seq: 2000, entity: 'audit', id: null },
    ])
  })
})

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
