import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeCode, movableClock, openSocket, type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { storedCopy } from '../../support/store.ts'
import { enrol, signIn } from './second-factor-support.ts'

const hour = 3_600_000
const time = movableClock()
let server: TestServer
let watcher: Watcher

beforeAll(async () => {
  server = await startTestServer({ substitutes: { clock: time.clock, passwordCost: 8 } })
  watcher = await watch(server)
})
afterAll(async () => {
  await watcher.close()
  await server.close()
})

const createLink = async (id: string): Promise<string> => {
  const reply = await server.call(`POST /api/users/${id}/password-link`)
  expect(reply.status).toBe(201)
  return reply.body.data.token
}
const check = (token: string) =>
  server.call('POST /api/password-link/check', { token: null, body: { token } })
const redeem = (token: string, password: string) =>
  server.call('POST /api/password-link/redeem', { token: null, body: { token, new_password: password } })
const gone = { status: 410, code: 'password_link.invalid' }
const outcome = ({ status, body }: { status: number; body: { code?: string } }) => ({
  status,
  code: body.code,
})

describe('a one-time link', () => {
  it('is created by an admin, names its user, and its token is in no other place', async () => {
    const edda = await server.signedIn('editor', 'edda')
    const { result, audit, frames } = await watcher.during(() =>
      server.call(`POST /api/users/${edda.id}/password-link`),
    )
    expect(audit).toEqual(['service-token create password_link edda'])
    expect(frames).toEqual(['user', 'audit'])
    const { token, username, expires_at } = result.body.data
    expect(username).toBe('edda')
    const lifetime = Date.parse(expires_at) - time.clock.now().getTime()
    expect(lifetime).toBeLessThanOrEqual(24 * hour)
    expect(lifetime).toBeGreaterThan(23.9 * hour)
    expect((await check(token)).body.data).toEqual({ username: 'edda', expires_at })
    const { text: log } = await server.call('GET /api/audit/export?format=jsonl')
    for (const text of [log, await storedCopy(server)]) expect(text).not.toContain(token.slice(8))
  })

  it('sets a new password once, ends the sessions, and a second use is audited', async () => {
    const ada = await server.signedIn('editor', 'ada')
    const socket = await openSocket(server, ada.token)
    const closed = closeCode(socket)
    const token = await createLink(ada.id)
    const { result, audit } = await watcher.during(() => redeem(token, 'quiet rivers run deep'))
    expect(result.body).toEqual({ ok: true, username: 'ada' })
    expect(audit).toEqual(['ada password_change user ada'])
    expect(await closed).toBe(4401)
    expect((await signIn(server, { username: 'ada', password: ada.password })).status).toBe(401)
    expect((await signIn(server, { username: 'ada', password: 'quiet rivers run deep' })).status).toBe(200)
    const replay = await watcher.during(() => redeem(token, 'quiet rivers run deeper'))
    expect(outcome(replay.result)).toEqual(gone)
    expect(replay.audit).toEqual(['anonymous login_failed session ada'])
    expect(outcome(await check(token))).toEqual(gone)
  })

  it('works for one of two concurrent requests', async () => {
    time.pass(hour)
    const user = await server.signedIn('viewer')
    const token = await createLink(user.id)
    const replies = await Promise.all([
      redeem(token, 'first phrase of mine'),
      redeem(token, 'other phrase of mine'),
    ])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 410])
  })

  it('ends after 24 hours', async () => {
    time.pass(hour)
    const user = await server.signedIn('viewer')
    const token = await createLink(user.id)
    time.pass(24 * hour)
    expect(outcome(await redeem(token, 'quiet rivers run deep'))).toEqual(gone)
  })

  it.each<[string, string, ...(object | null)[]]>([
    ['a newer link', 'POST /api/users/ID/password-link', null],
    ['a new password', 'PATCH /api/users/ID', { password: 'set by an admin 1' }],
    [
      'disabling the user, also if enabled again',
      'PATCH /api/users/ID',
      { disabled: true },
      { disabled: false },
    ],
    ['another role', 'PATCH /api/users/ID', { role: 'admin' }],
    ['deleting the user', 'DELETE /api/users/ID', null],
  ])('ends with %s', async (_name, route, ...bodies) => {
    time.pass(hour)
    const user = await server.signedIn('viewer')
    const token = await createLink(user.id)
    for (const body of bodies) await server.call(route.replace('ID', user.id), body === null ? {} : { body })
    // The clock of another instance may be behind.
    time.pass(-1000)
    expect(outcome(await redeem(token, 'quiet rivers run deep'))).toEqual(gone)
  })

  it('ends with a change of role while its password is hashed', async () => {
    const { id } = await server.signedIn('viewer')
    const token = await createLink(id)
    const [reply] = await Promise.all([
      redeem(token, 'quiet rivers run deep'),
      server.call(`PATCH /api/users/${id}`, { body: { role: 'admin' } }),
    ])
    const [latest] = (await server.call(`GET /api/audit?resource=user&resource_id=${id}&limit=1`)).body.data
    expect(latest.action, `after ${reply.status}`).toBe('role_change')
  })

  it('ends when the user changes the password', async () => {
    time.pass(hour)
    const user = await server.signedIn('viewer')
    const token = await createLink(user.id)
    await server.call('PUT /api/me/password', {
      token: user.token,
      body: { current_password: user.password, new_password: 'chosen by the user 1' },
    })
    expect(outcome(await redeem(token, 'quiet rivers run deep'))).toEqual(gone)
  })

  it('refuses a weak password and remains valid', async () => {
    time.pass(hour)
    const user = await server.signedIn('viewer')
    const token = await createLink(user.id)
    const weak = await redeem(token, 'password')
    expect(weak.status).toBe(422)
    expect(weak.body.errors[0].path).toBe('new_password')
    expect((await redeem(token, 'quiet rivers run deep')).status).toBe(200)
  })

  it('does not replace the second factor', async () => {
    time.pass(hour)
    const user = await enrol(server, await server.signedIn('viewer'), time.clock.now())
    await redeem(await createLink(user.id), 'quiet rivers run deep')
    const reply = await signIn(server, { username: user.username, password: 'quiet rivers run deep' })
    expect(reply.body.code).toBe('auth.second_factor_required')
  })

  it('is not created for a disabled or unknown user', async () => {
    const user = await server.signedIn('viewer')
    await server.call(`PATCH /api/users/${user.id}`, { body: { disabled: true } })
    expect((await server.call(`POST /api/users/${user.id}/password-link`)).status).toBe(422)
    expect((await server.call('POST /api/users/nobody/password-link')).status).toBe(404)
  })

  it('cannot be guessed: attempts of an address are delayed', async () => {
    time.pass(hour)
    const statuses: number[] = []
    for (let guess = 0; guess < 6; guess += 1) statuses.push((await check(`pd_link_guess${guess}`)).status)
    expect(statuses).toEqual([410, 410, 410, 410, 410, 429])
  })
})
