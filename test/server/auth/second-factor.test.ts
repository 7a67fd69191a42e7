import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newRecoveryCodes } from '../../../server/features/auth/second-factor/recovery-codes.ts'
import { stepOfCode } from '../../../server/features/auth/second-factor/totp.ts'
import { closeCode, movableClock, openSocket, type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { storedCopy } from '../../support/store.ts'
import { challengeOf, codeAt, type Enrolled, enrol, signIn } from './second-factor-support.ts'

const step = 30_000
const minute = 60_000

describe('a code of an authenticator app', () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  /** RFC 6238, appendix B, SHA-1; of eight digits the last six. */
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('is that of RFC 6238 at %d s', (seconds, code) => {
    const at = new Date(seconds * 1000)
    expect(stepOfCode(secret, code, at)).toBe(Math.floor(seconds / 30))
    expect(codeAt(secret, at)).toBe(code)
  })
  it.each([
    [-2, null],
    [-1, 999_999],
    [0, 1_000_000],
    [1, 1_000_001],
    [2, null],
  ])('of a clock that differs by %d steps: %s', (steps, accepted) => {
    const at = new Date(1_000_000 * step)
    expect(stepOfCode(secret, codeAt(secret, at, steps), at)).toBe(accepted)
  })
  it.each(['', '12345', '1234567', 'abcdef', '２８７０８２', ' 28708'])('is not "%s"', (code) => {
    expect(stepOfCode(secret, code, new Date(59_000))).toBeNull()
  })
})

describe('recovery codes', () => {
  it('are ten different ones, without letters that look alike', () => {
    const codes = newRecoveryCodes()
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^[A-HJ-NP-Z2-9]{6}(-[A-HJ-NP-Z2-9]{6}){3}$/)
  })
})

const time = movableClock()
const logged: string[] = []
let server: TestServer
let watcher: Watcher
let edda: Enrolled

const codeNow = (secret: string, steps = 0) => codeAt(secret, time.clock.now(), steps)
const withPassword = (person: { password: string }) => ({ current_password: person.password })

beforeAll(async () => {
  const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
  server = await startTestServer({ substitutes: { clock: time.clock, logger } })
  watcher = await watch(server)
})
afterAll(async () => {
  await watcher.close()
  await server.close()
})

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

describe('a challenge', () => {
  it('is void when the password changes meanwhile', async () => {
    time.pass(20 * minute)
    const person = await enrol(server, await server.signedIn('viewer'), time.clock.now())
    const challenge = await challengeOf(server, person)
    await server.call(`PATCH /api/users/${person.id}`, { body: { password: 'another phrase of hers 2' } })
    time.pass(step)
    const reply = await signIn(server, { challenge, code: codeNow(person.secret) })
    expect(reply.status).toBe(401)
  })
  it('is void when the user is disabled meanwhile', async () => {
    const person = await enrol(server, await server.signedIn('viewer'), time.clock.now())
    const challenge = await challengeOf(server, person)
    await server.call(`PATCH /api/users/${person.id}`, { body: { disabled: true } })
    time.pass(step)
    expect((await signIn(server, { challenge, code: codeNow(person.secret) })).status).toBe(401)
  })
})

describe('changes', () => {
  const call = (what: string, body: object) => server.call(what, { token: edda.token, body })

  it('replace recovery codes: the old ones are refused', async () => {
    time.pass(20 * minute)
    const route = 'POST /api/me/second-factor/recovery-codes'
    expect((await call(route, { current_password: 'wrong' })).status).toBe(401)
    const { result, audit } = await watcher.during(() => call(route, withPassword(edda)))
    expect(result.status).toBe(201)
    expect(audit).toEqual(['edda update second_factor edda'])
    const [, old] = edda.recoveryCodes
    const challenge = await challengeOf(server, edda)
    expect((await signIn(server, { challenge, code: old })).status).toBe(401)
    const [fresh] = result.body.data.recovery_codes
    expect((await signIn(server, { challenge, code: fresh })).status).toBe(200)
  })

  it('turn it off with the password; sign-in then needs no code', async () => {
    const route = 'POST /api/me/second-factor/remove'
    expect((await call(route, { current_password: 'wrong' })).status).toBe(401)
    const { audit } = await watcher.during(() => call(route, withPassword(edda)))
    expect(audit).toEqual(['edda delete second_factor edda'])
    expect((await call(route, withPassword(edda))).status).toBe(404)
    expect((await signIn(server, { username: 'edda', password: edda.password })).status).toBe(200)
  })

  it('by an admin remove it and end the sessions', async () => {
    time.pass(20 * minute)
    const person = await enrol(server, await server.signedIn('editor', 'locked-out'), time.clock.now())
    const socket = await openSocket(server, person.token)
    const closed = closeCode(socket)
    const { result, audit, frames } = await watcher.during(() =>
      server.call(`DELETE /api/users/${person.id}/second-factor`),
    )
    expect(result.body).toEqual({ ok: true, passkeys_removed: 0, sessions_ended: 1 })
    expect(audit).toEqual(['service-token delete second_factor locked-out'])
    expect(frames).toEqual(['user', 'session', 'audit'])
    expect(await closed).toBe(4401)
    expect((await signIn(server, { username: person.username, password: person.password })).status).toBe(200)
  })

  it('of an admin are refused to an API token', async () => {
    const admin = await server.signedIn('admin')
    const created = await server.call('POST /api/tokens', { body: { name: 'admin app', role: 'viewer' } })
    expect(created.status).toBe(201)
    await server.call('PATCH /api/settings', { body: { api_tokens_may_create_admins: true } })
    const { token } = (
      await server.call('POST /api/tokens', { body: { name: 'ops', role: 'admin', binding: 'service' } })
    ).body.data
    await server.call('PATCH /api/settings', { body: { api_tokens_may_create_admins: false } })
    for (const what of [
      `DELETE /api/users/${admin.id}/second-factor`,
      `POST /api/users/${admin.id}/password-link`,
    ]) {
      const reply = await server.call(what, { token })
      expect({ status: reply.status, code: reply.body.code }).toEqual({ status: 403, code: 'auth.forbidden' })
    }
  })
})

describe('the setting that requires it', () => {
  it('lets a user without it only set it up; turning it on ends live connections', async () => {
    time.pass(20 * minute)
    const person = await server.signedIn('viewer', 'newcomer')
    const exempt = await enrol(server, await server.signedIn('viewer'), time.clock.now())
    const socket = await openSocket(server, person.token)
    const closed = closeCode(socket)
    const { audit } = await watcher.during(() =>
      server.call('PATCH /api/settings', { body: { require_second_factor: true } }),
    )
    expect(audit).toEqual(['service-token setting_change setting require_second_factor'])
    expect(await closed).toBe(4401)
    const refused = await server.call('GET /api/runs', { token: person.token })
    expect({ status: refused.status, code: refused.body.code }).toEqual({
      status: 403,
      code: 'auth.second_factor_setup_required',
    })
    expect((await server.call('GET /api/me', { token: person.token })).body).toMatchObject({
      must_set_up_second_factor: true,
    })
    await expect(openSocket(server, person.token)).rejects.toThrow('403')
    expect((await server.call('GET /api/runs', { token: exempt.token })).status).toBe(200)
    await enrol(server, person, time.clock.now())
    expect((await server.call('GET /api/runs', { token: person.token })).status).toBe(200)
    await server.call('PATCH /api/settings', { body: { require_second_factor: false } })
  })
})

describe('secrets', () => {
  it('are in no reply, log line or audit entry, and survive a restart', async () => {
    time.pass(20 * minute)
    const person = await enrol(server, await server.signedIn('editor', 'ada'), time.clock.now())
    const texts: string[] = []
    for (const path of [
      '/api/audit/export?format=jsonl',
      '/api/users?limit=200',
      '/api/settings',
      `/api/users/${person.id}`,
    ]) {
      texts.push((await server.call(`GET ${path}`)).text)
    }
    for (const path of ['/api/me', '/api/me/second-factor', '/api/me/sessions', '/api/me/sign-ins'])
      texts.push((await server.call(`GET ${path}`, { token: person.token })).text)
    texts.push(await storedCopy(server))
    const everything = [...texts, ...logged].join('\n')
    for (const secret of [person.secret, ...person.recoveryCodes, ...edda.recoveryCodes, edda.secret]) {
      expect(everything).not.toContain(secret)
      expect(everything).not.toContain(secret.replaceAll('-', ''))
    }
    await watcher.close()
    await server.restart()
    watcher = await watch(server)
    time.pass(step)
    const challenge = await challengeOf(server, person)
    expect((await signIn(server, { challenge, code: codeNow(person.secret) })).status).toBe(200)
  })
})
