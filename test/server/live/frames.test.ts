import { afterEach, describe, expect, it } from 'vitest'
import { awaitDelivery, type LiveService, type Peer, published, startLive } from './live-support.ts'

let live: LiveService
afterEach(() => live.close())

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
