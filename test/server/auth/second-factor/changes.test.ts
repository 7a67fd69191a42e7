import { beforeAll, describe, expect, it } from 'vitest'
import { passkeyPlace } from '../../../../server/features/auth/passkeys/origin.ts'
import { newRecoveryCodes } from '../../../../server/features/auth/second-factor/recovery-codes.ts'
import { stepOfCode } from '../../../../server/features/auth/second-factor/totp.ts'
import { bare } from '../../../support/bare.ts'
import { closeCode, openSocket } from '../../../support/scenario.ts'
import { storedCopy } from '../../../support/store.ts'
import { challengeOf, codeAt, type Enrolled, enrol, signIn } from '../second-factor-support.ts'
import {
  codeNow,
  logged,
  minute,
  server,
  setUpService,
  step,
  time,
  watchAgain,
  watcher,
  withPassword,
} from './second-factor-service.ts'

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

describe('the place of a passkey', () => {
  it.each([
    ['http://localhost:4780', 'localhost'],
    ['https://localhost', 'localhost'],
    ['http://deck.localhost:4780', 'deck.localhost'],
    ['https://deck.example.org:4743', 'deck.example.org'],
    ['https://studio.local:4743', 'studio.local'],
    ['http://deck.example.org', null],
    ['https://203.0.113.5:4743', null],
    ['https://[fe80::1]', null],
    ['http://[::1]:4780', null],
    ['null', null],
    ['', null],
  ])('the origin %s has the host %s', (origin, host) => {
    const place = () => passkeyPlace(origin)
    if (host === null) expect(place).toThrow('Passkeys need a host name')
    else expect(place()).toEqual({ origin, rpId: host })
  })
})

setUpService()

let edda: Enrolled
beforeAll(async () => {
  edda = await enrol(server, await server.signedIn('editor', 'edda'), time.clock.now())
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

  it('need a session that lasts until they are stored', async () => {
    const person = await server.signedIn('viewer')
    const body = withPassword(person)
    const { setup, secret } = (await server.call('POST /api/me/second-factor', { token: person.token, body }))
      .body.data
    const headers = { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' }
    const code = JSON.stringify({ setup, code: codeNow(secret) })
    const confirmed = await bare(server.url, '/api/me/second-factor/confirm', headers, 'POST', code, () =>
      server.call(`POST /api/users/${person.id}/revoke-sessions`),
    )
    expect(confirmed.status).toBe(401)
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
    await watchAgain()
    time.pass(step)
    const challenge = await challengeOf(server, person)
    expect((await signIn(server, { challenge, code: codeNow(person.secret) })).status).toBe(200)
  })
})
