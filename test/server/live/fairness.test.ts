import { afterEach, describe, expect, it } from 'vitest'
import type { Identity } from '../../../server/auth/identity/identity.ts'
import { identity, type LiveService, type Peer, refused, startLive } from './live-support.ts'

let live: LiveService
afterEach(() => live.close())

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const tokenOf = (name: string): Identity =>
  identity(name, {
    actor: { kind: 'api_token', id: `token-${name}`, name, role: 'viewer', sessionId: null },
    auth: 'api_token',
  })

/** Opens sockets one after the other. */
async function openMany(count: number, token: string): Promise<Peer[]> {
  const peers: Peer[] = []
  for (let n = 0; n < count; n += 1) peers.push(await live.openReady('', token))
  return peers
}

const counts = () => {
  const names = live.hub.clients({ includeDisconnected: false }).map(({ username }) => username)
  return Object.fromEntries(
    [...new Set(names)].toSorted().map((name) => [name, names.filter((other) => other === name).length]),
  )
}

describe('a session of a user', () => {
  it('has a limited number of live connections; another session of the same user has its own', async () => {
    live = await startLive({ limits: { maxPerSession: 2 } })
    const phone = identity('ann')
    live.identities.set('phone', { ...phone, actor: { ...phone.actor, sessionId: 'session-phone' } })
    const [first] = await openMany(2, 'ann')
    const refusal = await refused(live.open('', bearer('ann')))
    expect(refusal).toMatchObject({ status: 429, body: { code: 'rate_limited', retry_after: 5 } })
    expect(refusal.headers['retry-after']).toBe('5')
    expect(refusal.body.detail).toMatch(/2 live connections/)
    await openMany(2, 'phone')
    first?.socket.close()
    await expect.poll(() => live.hub.count()).toBe(3)
    await openMany(1, 'ann')
  })

  it('is also limited when it authenticates in its first frame, with 1013', async () => {
    live = await startLive({ limits: { maxPerSession: 1 } })
    await openMany(1, 'ann')
    const late = await live.open()
    late.send({ type: 'hello', token: 'ann' })
    expect(await late.closed).toMatchObject({
      code: 1013,
      reason: expect.stringMatching(/1 live connections/),
    })
    expect(counts()).toEqual({ ann: 1 })
  })

  it('may have 50 by default, a token has no limit', async () => {
    live = await startLive()
    live.identities.set('fleet', tokenOf('fleet'))
    await openMany(50, 'ann')
    expect(await refused(live.open('', bearer('ann')))).toMatchObject({ status: 429 })
    await Promise.all(Array.from({ length: 51 }, () => live.openReady('', 'fleet')))
    expect(counts()).toEqual({ ann: 50, fleet: 51 })
  })
})

describe('at the maximum number of live connections', () => {
  const start = async () => {
    live = await startLive({ limits: { maxConnections: 6 } })
    for (const name of ['fleet', 'small', 'third']) live.identities.set(name, tokenOf(name))
  }

  it('a caller with fewer displaces the newest of the caller with most, until shares are equal', async () => {
    await start()
    const fleet = await openMany(6, 'fleet')
    expect(await refused(live.open('', bearer('fleet')))).toMatchObject({
      status: 429,
      body: { detail: expect.stringMatching(/LIVE_CONNECTIONS/) },
    })
    await openMany(1, 'small')
    expect(await fleet[5]?.closed).toMatchObject({
      code: 1013,
      reason: expect.stringMatching(/another caller/),
    })
    expect(counts()).toEqual({ fleet: 5, small: 1 })
    await openMany(2, 'small')
    expect(counts()).toEqual({ fleet: 3, small: 3 })
    // With equal shares, neither can displace the other.
    for (const name of ['fleet', 'small']) {
      expect(await refused(live.open('', bearer(name)))).toMatchObject({ status: 429 })
    }
    await openMany(2, 'third')
    expect(counts()).toEqual({ fleet: 2, small: 2, third: 2 })
    expect(fleet[0]?.socket.readyState).toBe(fleet[0]?.socket.OPEN)
  })

  it('a console that sends its token in the first frame also gets a connection', async () => {
    await start()
    await openMany(6, 'fleet')
    const console = await live.open()
    console.send({ type: 'hello', token: 'bob', namespace: '*' })
    expect(await console.next()).toMatchObject({ type: 'hello' })
    expect(counts()).toEqual({ bob: 1, fleet: 5 })
  })

  it('concurrent callers never exceed the maximum', async () => {
    await start()
    const attempts = [
      'fleet',
      'small',
      'third',
      'fleet',
      'small',
      'third',
      'fleet',
      'small',
      'fleet',
      'fleet',
    ].map((name) =>
      live.open('', bearer(name)).then(
        () => 'in',
        () => 'refused',
      ),
    )
    await Promise.all(attempts)
    const total = Object.values(counts()).reduce((sum, count) => sum + count, 0)
    expect(total).toBe(6)
  })
})

describe('limits by address', () => {
  it('count the address that a trusted proxy forwards, and neither loopback nor the proxy itself', async () => {
    live = await startLive({
      limits: { maxUnidentifiedPerAddress: 1 },
      config: { trustedProxies: ['127.0.0.1'], allowUrlToken: false },
    })
    const from = (address: string) => live.open('', { 'x-forwarded-for': address })
    await from('192.0.2.1')
    expect(await refused(from('192.0.2.1'))).toMatchObject({ status: 429 })
    await from('192.0.2.2')
    for (let n = 0; n < 3; n += 1) await live.open()
    await live.close()
    live = await startLive({ limits: { maxUnidentifiedPerAddress: 1 } })
    for (let n = 0; n < 3; n += 1) await live.open()
  })
})
