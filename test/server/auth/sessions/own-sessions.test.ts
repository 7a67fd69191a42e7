import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { closeCode, openSocket, type Scenario } from '../../../support/scenario.ts'
import {
  me,
  type SignedIn,
  server,
  setUpService,
  status,
  time,
  watchAgain,
  watcher,
} from './sessions-support.ts'

const hour = 3_600_000

setUpService()

let serial = 0

describe('a session', () => {
  let edda: SignedIn
  beforeEach(async () => {
    serial += 1
    edda = await server.signedIn('viewer', `edda-${serial}`)
  })

  it('expires after eight hours without a request', async () => {
    time.pass(8 * hour - 60_000)
    expect(await status(edda.token)).toBe(200)
    time.pass(8 * hour - 60_000)
    expect(await status(edda.token)).toBe(200)
    time.pass(8 * hour)
    expect(await status(edda.token)).toBe(401)
  })

  it('expires after seven days, regardless of use', async () => {
    for (let passed = 0; passed < 7 * 24 - 6; passed += 6) {
      time.pass(6 * hour)
      expect(await status(edda.token)).toBe(200)
    }
    const left = Date.parse((await me(edda.token)).expires_at) - time.clock.now().getTime()
    expect(left).toBeLessThan(6 * hour)
    time.pass(6 * hour)
    expect(await status(edda.token)).toBe(401)
  })

  it('keeps its last use over a restart', async () => {
    time.pass(7 * hour)
    expect(await status(edda.token)).toBe(200)
    await watcher.close()
    await server.restart()
    await watchAgain()
    time.pass(7 * hour)
    expect(await status(edda.token)).toBe(200)
  })

  it('is not extended by an open socket', async () => {
    const socket = await openSocket(server, edda.token)
    time.pass(8 * hour)
    expect(await status(edda.token)).toBe(401)
    socket.terminate()
  })

  it('is extended by each request', async () => {
    const before = Date.parse((await me(edda.token)).expires_at)
    time.pass(hour)
    expect(Date.parse((await me(edda.token)).expires_at) - before).toBeGreaterThanOrEqual(hour)
  })
})

describe('signing out', () => {
  let edda: SignedIn
  beforeAll(async () => {
    edda = await server.signedIn('viewer', 'Eyvind')
  })

  it('ends the session and its sockets immediately, and no other', async () => {
    const other = await server.login('Eyvind', edda.password)
    const socket = await openSocket(server, edda.token)
    const otherSocket = await openSocket(server, other)
    const code = closeCode(socket)
    await watcher.run({
      name: 'logout',
      call: 'POST /api/logout',
      token: () => edda.token,
      status: 200,
      reply: { ok: true },
      audit: ['Eyvind logout session Eyvind'],
      frames: ['session', 'audit'],
    })
    expect(await code).toBe(4401)
    expect(await status(edda.token)).toBe(401)
    expect(await status(other)).toBe(200)
    expect(otherSocket.readyState).toBe(otherSocket.OPEN)
    otherSocket.terminate()
  })

  it.each<Scenario>([
    { name: 'a second time is 401', call: 'POST /api/logout', token: () => edda.token, status: 401 },
    {
      name: 'with the service token has no effect',
      call: 'POST /api/logout',
      status: 200,
      reply: { ok: true },
    },
    { name: 'without a token is rejected', call: 'POST /api/logout', token: () => null, status: 401 },
  ])('$name', (scenario) => watcher.run(scenario))
})

describe('my sessions', () => {
  let [first, second, strangerToken]: [string, string, string] = ['', '', '']
  let edda: SignedIn
  beforeAll(async () => {
    edda = await server.signedIn('viewer', 'Egill')
    first = edda.token
    time.pass(1000)
    second = await server.login('Egill', edda.password)
    strangerToken = (await server.signedIn('viewer', 'Stranger')).token
  })
  const list = async (token: string) => (await server.call('GET /api/me/sessions', { token })).body

  it('are listed, newest first, with the current one marked', async () => {
    const reply = await list(first)
    expect(reply).toMatchObject({ total: 2, next_cursor: null })
    expect(reply.data.map((session: { current: boolean }) => session.current)).toEqual([false, true])
    expect(reply.data[0]).toMatchObject({ ip: '127.0.0.1', user_agent: expect.any(String) })
    const { created_at, last_seen_at, expires_at } = reply.data[1]
    expect(Date.parse(last_seen_at)).toBeGreaterThanOrEqual(Date.parse(created_at))
    expect(Date.parse(expires_at) - Date.parse(last_seen_at)).toBe(8 * hour)
  })

  it('of another user cannot be ended', async () => {
    const { data } = await list(second)
    await watcher.run({
      name: 'foreign',
      call: `DELETE /api/me/sessions/${data[0].id}`,
      token: () => strangerToken,
      status: 404,
      reply: { code: 'not_found' },
    })
    expect(await status(second)).toBe(200)
  })

  it('can be ended individually, including sockets', async () => {
    const socket = await openSocket(server, second)
    const code = closeCode(socket)
    const { data } = await list(first)
    await watcher.run({
      name: 'revoke',
      call: `DELETE /api/me/sessions/${data[0].id}`,
      token: () => first,
      status: 200,
      reply: { ok: true },
      audit: ['Egill revoke session Egill'],
      frames: ['session', 'audit'],
    })
    expect(await code).toBe(4401)
    expect(await status(second)).toBe(401)
    expect((await list(first)).total).toBe(1)
  })

  it('include the current one', async () => {
    const { data } = await list(first)
    expect((await server.call(`DELETE /api/me/sessions/${data[0].id}`, { token: first })).status).toBe(200)
    expect(await status(first)).toBe(401)
  })

  it.each<Scenario>([
    {
      name: 'do not exist for the service token',
      call: 'GET /api/me/sessions',
      status: 403,
      reply: { code: 'auth.forbidden' },
    },
    {
      name: 'cannot be ended with the service token',
      call: 'DELETE /api/me/sessions/x',
      status: 403,
      reply: { code: 'auth.forbidden' },
    },
    {
      name: 'are 404 for an unknown id',
      call: 'DELETE /api/me/sessions/x',
      token: () => strangerToken,
      status: 404,
      reply: { code: 'not_found' },
    },
  ])('$name', (scenario) => watcher.run(scenario))

  it('are limited to 100: the oldest is removed', async () => {
    const busy = await server.signedIn('viewer', 'Busy')
    const signIn = () => server.login('Busy', busy.password)
    for (let round = 0; round < 2; round += 1) await Promise.all(Array.from({ length: 50 }, signIn))
    expect(await status(busy.token)).toBe(401)
    const reply = await server.call(`GET /api/users/${busy.id}/sessions`)
    expect(reply.body.total).toBe(100)
  }, 60_000)
})
