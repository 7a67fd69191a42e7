import { afterEach, describe, expect, it } from 'vitest'
import { type LiveService, startLive } from './live-support.ts'

let live: LiveService
afterEach(() => live.close())

describe('a frame from a client', () => {
  it.each([
    ['that is not JSON', 'hello?', /JSON object/],
    ['that is not an object', '[1]', /JSON object/],
    ['without a type', '{"a":1}', /JSON object with a type/],
    ['with a member of the wrong type', { type: 'ack', seq: 'x', key: 'k', version: 'v1' }, /ack seq/],
    ['with a negative number', { type: 'hello', since_seq: -1 }, /hello since_seq/],
    ['with too many keys', { type: 'subscribe', keys: Array(1001).fill('k') }, /subscribe keys/],
    ['with a key too long', { type: 'subscribe', keys: ['k'.repeat(201)] }, /subscribe keys/],
  ])('%s closes the connection with 1008 and the reason', async (_, frame, reason) => {
    live = await startLive()
    const peer = await live.openReady()
    peer.send(frame)
    expect(await peer.closed).toMatchObject({ code: 1008, reason: expect.stringMatching(reason) })
  })

  it('in binary closes the connection with 1008', async () => {
    live = await startLive()
    const peer = await live.openReady()
    peer.socket.send(Buffer.from('{"type":"hello"}'))
    expect(await peer.closed).toMatchObject({ code: 1008 })
  })

  it('closes the connection with 1009 over 64 KiB, but not at 64 KiB', async () => {
    live = await startLive()
    const frame = (size: number) =>
      JSON.stringify({ type: 'new-thing', pad: '' }).replace('""', `"${'x'.repeat(size - 29)}"`)
    expect(frame(65_536)).toHaveLength(65_536)
    const peer = await live.openReady()
    peer.send(frame(65_536))
    peer.send({ type: 'ack', seq: 1, key: 'still', version: 'v1' })
    await expect.poll(() => live.hub.clients({ includeDisconnected: false })[0]?.acked.length).toBe(1)
    peer.send(frame(65_537))
    expect(await peer.closed).toMatchObject({ code: 1009 })
  })

  it('of type ping gets a pong, after earlier replies', async () => {
    live = await startLive()
    const peer = await live.openReady()
    peer.send({ type: 'ping' })
    peer.send({ type: 'ping' })
    expect(await peer.take(2)).toEqual([{ type: 'pong' }, { type: 'pong' }])
    const unauthenticated = await live.open()
    unauthenticated.send({ type: 'ping' })
    expect(await unauthenticated.closed).toMatchObject({ code: 4401 })
  })

  it('of an unknown type is ignored, and so are unknown members, which newer SDKs may send', async () => {
    live = await startLive()
    const peer = await live.openReady()
    peer.send({ type: 'telemetry', cpu: 1 })
    peer.send({ type: 'subscribe', keys: ['a'], since: 'yesterday' })
    await expect.poll(() => live.hub.clients({ includeDisconnected: false })[0]?.keys).toEqual(['a'])
  })

  it('closes the connection with 1008 if there are too many in a burst, without affecting others', async () => {
    live = await startLive({ limits: { burst: 20, perSecond: 1 } })
    const other = await live.openReady()
    const flood = await live.openReady()
    for (let i = 0; i < 30; i += 1) flood.send({ type: 'ack', seq: i, key: 'k', version: 'v1' })
    expect(await flood.closed).toMatchObject({ code: 1008, reason: expect.stringMatching(/Too many frames/) })
    expect(other.socket.readyState).toBe(other.socket.OPEN)
  })
})
