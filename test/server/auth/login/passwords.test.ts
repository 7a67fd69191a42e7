import { describe, expect, it } from 'vitest'
import type { Scenario } from '../../../support/scenario.ts'
import { edda, login, server, setUpService, time, watcher } from './login-support.ts'

setUpService()

describe('signing in with a password', () => {
  const signedIn: Partial<Scenario> & { status: number } = {
    status: 200,
    reply: { ok: true, token_type: 'Bearer', username: 'Edda', role: 'editor', must_change_password: false },
    audit: ['Edda login session Edda'],
    frames: ['session', 'audit'],
  }
  const body = (username: string) => ({ username, password: 'a phrase of Edda 1' })

  it.each<Scenario>([
    login('works', body('Edda'), signedIn),
    login('ignores case of the name', body('eDDA'), signedIn),
    login('ignores width of the name', body('Ｅｄｄａ'), signedIn),
    login(
      'accepts the default admin, and requires a new password',
      { username: 'admin', password: 'admin' },
      {
        status: 200,
        reply: { username: 'admin', role: 'admin', must_change_password: true },
        audit: ['admin login session admin'],
        frames: ['session', 'audit'],
      },
    ),
    login('needs no valid Authorization header', body('Edda'), {
      ...signedIn,
      headers: { authorization: 'Bearer rubbish' },
    }),
  ])('$name', (scenario) => watcher.run(scenario))

  it('returns a token for eight idle hours, and records the sign-in of the user', async () => {
    const reply = await server.call('POST /api/login', { token: null, body: body('Edda') })
    const hours = (Date.parse(reply.body.expires_at) - time.clock.now().getTime()) / 3_600_000
    expect(hours).toBeGreaterThan(7.99)
    expect(hours).toBeLessThanOrEqual(8)
    const user = await server.call(`GET /api/users/${edda.id}`)
    expect(Date.parse(user.body.data.last_login_at)).toBeGreaterThan(Date.parse(user.body.data.created_at))
    expect(reply.headers.get('cache-control')).toContain('no-store')
    expect(reply.headers.get('set-cookie')).toBeNull()
  })

  it('never writes the password to the audit log', async () => {
    const log = await server.call('GET /api/audit/export?format=jsonl')
    expect(log.text).toContain('signed in')
    expect(log.text).not.toContain('a phrase of')
  })
})

describe('a failed sign-in', () => {
  const failed = { status: 401, reply: { code: 'auth.invalid_credentials' } } as const

  it.each<Scenario>([
    login(
      'a wrong password is one audit row',
      { username: 'edda', password: 'wrong' },
      {
        ...failed,
        audit: ['anonymous login_failed session Edda'],
        frames: ['session', 'audit'],
      },
    ),
    login('another one within the minute is only counted', { username: 'EDDA', password: 'wrong' }, failed),
    login(
      'an unknown name is not stored',
      { username: 'My-Secret-Phrase', password: 'x' },
      {
        ...failed,
        forbidden: ['My-Secret-Phrase'],
        audit: ['anonymous login_failed session'],
        frames: ['session', 'audit'],
      },
    ),
    login(
      'a disabled user, with the right password',
      { username: 'gone', password: 'a phrase of gone 1' },
      {
        ...failed,
        audit: ['anonymous login_failed session gone'],
        frames: ['session', 'audit'],
      },
    ),
  ])('$name', (scenario) => watcher.run(scenario))

  it('has the same reply for all causes', async () => {
    const bodies = []
    for (const [username, password] of [
      ['edda', 'wrong'],
      ['nobody-here', 'wrong'],
      ['gone', 'a phrase of gone 1'],
    ]) {
      const reply = await server.call('POST /api/login', { token: null, body: { username, password } })
      expect(reply.headers.get('www-authenticate')).toBe('Bearer')
      bodies.push({ ...reply.body, request_id: '' })
    }
    expect(bodies[1]).toEqual(bodies[0])
    expect(bodies[2]).toEqual(bodies[0])
  })

  it('is recorded once the minute is over', async () => {
    const { audit } = await watcher.during(() => {
      time.pass(61_000)
      return server.call('POST /api/login', { token: null, body: { username: 'edda', password: 'wrong' } })
    })
    // The minute is over for all three; only failures without a row are counted.
    expect(audit.toSorted()).toEqual([
      'anonymous login_failed session',
      'anonymous login_failed session Edda',
      'anonymous login_failed session gone',
    ])
    const newest = await server.call('GET /api/audit?action=login_failed&key=Edda&limit=1')
    // Two within the minute, and this one.
    expect(newest.body.data[0].summary).toBe('Failed sign-in as Edda (3 times)')
    const detail = await server.call(`GET /api/audit/${newest.body.data[0].id}`)
    expect(detail.body.data).toMatchObject({ actor_kind: 'anonymous', actor_id: null, after: { count: 3 } })
  })

  it('stores no name that matches no user', async () => {
    const log = await server.call('GET /api/audit/export?format=jsonl')
    expect(log.text).not.toContain('My-Secret-Phrase')
    expect(log.text).not.toContain('nobody-here')
  })
})

describe('too many failures', () => {
  const signInWrongly = () =>
    server.call('POST /api/login', { token: null, body: { username: 'egil', password: 'wrong' } })

  it('cause increasing waits, for this caller only', async () => {
    const egil = await server.signedIn('viewer', 'egil')
    const signIn = () =>
      server.call('POST /api/login', { token: null, body: { username: 'egil', password: egil.password } })
    for (let i = 0; i < 5; i += 1) expect((await signInWrongly()).status).toBe(401)
    const { result: refused, audit } = await watcher.during(signIn)
    expect(refused.status).toBe(429)
    expect(refused.body).toMatchObject({ code: 'rate_limited', retry_after: 1 })
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(audit).toEqual([])
    expect((await server.call('GET /api/me', { token: egil.token })).status).toBe(200)
    expect(await server.login('Edda', edda.password)).toBeTruthy()
    time.pass(1000)
    expect((await signInWrongly()).status).toBe(401)
    expect((await signIn()).body.retry_after).toBe(2)
    time.pass(2000)
    expect((await signIn()).status).toBe(200)
    expect((await signInWrongly()).status).toBe(401)
  })

  it('are also counted for the current password', async () => {
    const egla = await server.signedIn('viewer', 'egla')
    const change = (current: string) =>
      server.call('PUT /api/me/password', {
        token: egla.token,
        body: { current_password: current, new_password: 'another phrase of hers' },
      })
    time.pass(15 * 60_000)
    for (let i = 0; i < 5; i += 1) {
      const reply = await change('wrong')
      expect(reply.status).toBe(401)
      expect(reply.body).toMatchObject({
        code: 'auth.invalid_credentials',
        errors: [{ path: 'current_password' }],
      })
    }
    expect((await change(egla.password)).status).toBe(429)
    time.pass(1000)
    expect((await change(egla.password)).status).toBe(200)
  })

  it('of another credential do not count for a user of that name', async () => {
    time.pass(15 * 60_000)
    const { password } = await server.signedIn('viewer', 'token')
    const guess = () => server.call('POST /api/login', { token: null, body: { token: 'a guess' } })
    for (let i = 0; i < 5; i += 1) expect((await guess()).status).toBe(401)
    expect((await guess()).status).toBe(429)
    expect(await server.login('token', password)).toBeTruthy()
    expect((await guess()).status).toBe(429)
  })

  it('of one address cause a wait for the address', async () => {
    time.pass(15 * 60_000)
    for (let i = 0; i < 20; i += 1) {
      const reply = await server.call('POST /api/login', { token: null, body: { token: `guess-${i}` } })
      // Five guesses of the token have no wait; each later one has.
      if (reply.status === 429) time.pass(reply.body.retry_after * 1000)
    }
    for (let i = 0; i < 20; i += 1) {
      const body = { username: `stranger-${i}`, password: 'wrong' }
      const reply = await server.call('POST /api/login', { token: null, body })
      if (reply.status === 429) break
    }
    const reply = await server.call('POST /api/login', {
      token: null,
      body: { username: 'Edda', password: edda.password },
    })
    expect(reply.status).toBe(429)
    time.pass(60_000)
    expect(await server.login('Edda', edda.password)).toBeTruthy()
    time.pass(15 * 60_000)
  })
})
