import { describe, expect, it } from 'vitest'
import { challengeOf, type Enrolled, enrol, signIn } from '../second-factor-support.ts'
import {
  codeNow,
  minute,
  server,
  setUpService,
  step,
  time,
  watcher,
  withPassword,
} from './second-factor-service.ts'

setUpService()

let edda: Enrolled

describe('turning it on', () => {
  it('needs the current password', async () => {
    const { token, password } = await server.signedIn('viewer')
    await watcher.run({
      name: 'wrong password',
      call: 'POST /api/me/second-factor',
      token: () => token,
      body: { current_password: `${password}x` },
      status: 401,
      reply: { code: 'auth.invalid_credentials' },
      fields: ['current_password'],
    })
  })

  it('needs a right code, of the same session, within ten minutes', async () => {
    const person = await server.signedIn('viewer')
    const { token } = person
    const start = async () =>
      (await server.call('POST /api/me/second-factor', { token, body: withPassword(person) })).body.data
    const { setup, secret, uri } = await start()
    expect(uri).toContain(`secret=${secret}`)
    const confirm = (body: object, as = token) =>
      server.call('POST /api/me/second-factor/confirm', { token: as, body })
    const wrong = codeNow(secret) === '000000' ? '111111' : '000000'
    expect((await confirm({ setup, code: wrong })).body.code).toBe('auth.invalid_code')
    const otherSession = await server.login(person.username, person.password)
    const code = codeNow(secret)
    expect((await confirm({ setup, code }, otherSession)).body.code).toBe('auth.challenge_expired')
    expect((await confirm({ setup: 'unknown', code })).body.code).toBe('auth.challenge_expired')
    time.pass(10 * minute)
    expect((await confirm({ setup, code: codeNow(secret) })).body.code).toBe('auth.challenge_expired')
    expect((await server.call('GET /api/me', { token })).body.second_factor).toBe(false)
  })

  it('is one audit entry, and the secret is only in the first reply', async () => {
    const person = await server.signedIn('editor', 'edda')
    const { result, audit, frames } = await watcher.during(() => enrol(server, person, time.clock.now()))
    edda = result
    expect(audit).toEqual(['edda create second_factor edda'])
    expect(frames).toEqual(['user', 'audit'])
    const state = await server.call('GET /api/me/second-factor', { token: edda.token })
    expect(state.body.data).toMatchObject({ enabled: true, recovery_codes_left: 10, required: false })
    const again = await server.call('POST /api/me/second-factor', {
      token: edda.token,
      body: withPassword(edda),
    })
    expect({ status: again.status, code: again.body.code }).toEqual({
      status: 409,
      code: 'user.second_factor_on',
    })
    const user = await server.call(`GET /api/users/${edda.id}`)
    expect(user.body.data.second_factor).toBe(true)
  })
})

describe('signing in', () => {
  const success = { status: 200, username: 'edda' }
  const outcome = async (body: unknown) => {
    const { status, body: reply } = await signIn(server, body)
    return status === 200 ? { status, username: reply.username } : { status, code: reply.code }
  }
  const wrongCode = { status: 401, code: 'auth.invalid_code' }
  const expired = { status: 401, code: 'auth.challenge_expired' }

  it('with the password alone opens no session and is no audit entry', async () => {
    const { result, audit } = await watcher.during(() =>
      signIn(server, { username: edda.username, password: edda.password }),
    )
    expect(result.status).toBe(401)
    expect(result.body).toMatchObject({ code: 'auth.second_factor_required' })
    expect(result.body.token).toBeUndefined()
    expect(Date.parse(result.body.challenge_expires_at) - time.clock.now().getTime()).toBeLessThanOrEqual(
      5 * minute,
    )
    expect(audit).toEqual([])
  })

  it('with a wrong password is refused as without a second factor', async () => {
    expect(await outcome({ username: edda.username, password: 'wrong' })).toEqual({
      status: 401,
      code: 'auth.invalid_credentials',
    })
  })

  it('with password and code opens a session, and the code works only once', async () => {
    time.pass(2 * step)
    const code = codeNow(edda.secret)
    const first = await challengeOf(server, edda)
    const second = await challengeOf(server, edda)
    const { result, audit } = await watcher.during(() => outcome({ challenge: first, code }))
    expect(result).toEqual(success)
    expect(audit).toEqual(['edda login session edda'])
    expect(await outcome({ challenge: first, code })).toEqual(expired)
    expect(await outcome({ challenge: second, code })).toEqual(wrongCode)
  })

  it('accepts no code of a step before the last used one, although the window would', async () => {
    time.pass(3 * step)
    expect(
      await outcome({ challenge: await challengeOf(server, edda), code: codeNow(edda.secret, 1) }),
    ).toEqual(success)
    expect(await outcome({ challenge: await challengeOf(server, edda), code: codeNow(edda.secret) })).toEqual(
      wrongCode,
    )
  })

  it.each([
    [-2, wrongCode],
    [-1, success],
    [1, success],
    [2, wrongCode],
  ])('with a clock that differs by %d steps', async (steps, expected) => {
    time.pass(20 * minute)
    // The step must not end before the request arrives.
    time.pass(step - (time.clock.now().getTime() % step))
    const challenge = await challengeOf(server, edda)
    expect(await outcome({ challenge, code: codeNow(edda.secret, steps) })).toEqual(expected)
  })

  it('opens one session when the same code is sent twice at once', async () => {
    time.pass(20 * minute)
    const challenges = [await challengeOf(server, edda), await challengeOf(server, edda)]
    const code = codeNow(edda.secret)
    const replies = await Promise.all(challenges.map((challenge) => outcome({ challenge, code })))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 401])
  })

  it('with a recovery code works once, in any spelling, and the log counts the rest', async () => {
    time.pass(20 * minute)
    const [code = ''] = edda.recoveryCodes
    const spelled = code.toLowerCase().replaceAll('-', ' ')
    const challenge = await challengeOf(server, edda)
    const reply = await signIn(server, { challenge, code: spelled })
    expect(reply.status).toBe(200)
    const log = await server.call('GET /api/audit?action=login&limit=1')
    expect(log.body.data[0].summary).toBe('edda signed in with a recovery code; 9 left')
    const sessions = await server.call('GET /api/me/sessions', { token: reply.body.token })
    expect(sessions.body.data.find((open: { current: boolean }) => open.current).method).toBe('recovery_code')
    expect(await outcome({ challenge: await challengeOf(server, edda), code })).toEqual(wrongCode)
  })

  it('with the recovery code of another user is refused', async () => {
    time.pass(20 * minute)
    const other = await enrol(server, await server.signedIn('viewer'), time.clock.now())
    expect(
      await outcome({ challenge: await challengeOf(server, edda), code: other.recoveryCodes[0] }),
    ).toEqual(wrongCode)
  })

  it('ends a challenge after five minutes, and after five wrong codes', async () => {
    time.pass(20 * minute)
    const late = await challengeOf(server, edda)
    time.pass(5 * minute)
    expect(await outcome({ challenge: late, code: codeNow(edda.secret) })).toEqual(expired)
    const tried = await challengeOf(server, edda)
    const { audit } = await watcher.during(async () => {
      for (let guess = 0; guess < 5; guess += 1)
        expect(await outcome({ challenge: tried, code: 'wrong-code' })).toEqual(wrongCode)
    })
    expect(audit).toEqual(['anonymous login_failed session edda'])
    expect(await outcome({ challenge: tried, code: codeNow(edda.secret) })).toEqual(expired)
  })

  it('is throttled: wrong codes delay codes, for every challenge, and a right password does not reset that', async () => {
    time.pass(20 * minute)
    const statuses: number[] = []
    for (let guess = 0; guess < 8; guess += 1) {
      const challenge = await challengeOf(server, edda)
      statuses.push((await signIn(server, { challenge, code: '00000000' })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
    const challenge = await challengeOf(server, edda)
    const blocked = await signIn(server, { challenge, code: codeNow(edda.secret) })
    expect({ status: blocked.status, code: blocked.body.code }).toEqual({ status: 429, code: 'rate_limited' })
    time.pass(2_000)
    expect(await outcome({ challenge, code: codeNow(edda.secret) })).toEqual(success)
  })

  it('replies to a right and to a wrong password alike while it is throttled', async () => {
    time.pass(20 * minute)
    for (let guess = 0; guess < 5; guess += 1) await signIn(server, { username: 'edda', password: 'wrong' })
    const right = await signIn(server, { username: 'edda', password: edda.password })
    const wrong = await signIn(server, { username: 'edda', password: 'wrong' })
    expect([right.status, wrong.status]).toEqual([429, 429])
    const { request_id: _first, ...rightBody } = right.body
    const { request_id: _second, ...wrongBody } = wrong.body
    expect(rightBody).toEqual(wrongBody)
    time.pass(20 * minute)
  })

  it('with an API token or the service token needs no code', async () => {
    const created = await server.call('POST /api/tokens', { body: { name: 'app', role: 'viewer' } })
    expect((await signIn(server, { token: created.body.data.token })).status).toBe(200)
    expect((await server.call('GET /api/me')).status).toBe(200)
  })
})
