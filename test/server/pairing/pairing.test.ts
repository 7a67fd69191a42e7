import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminPassword } from '../../support/lan/lan.ts'
import { type LanServer, startLanServer } from '../../support/lan/listener.ts'
import { movableClock, type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer } from '../../support/service.ts'
import { answer, app, asked, askWith, openWindow, paired, password, stateOf } from './pairing-support.ts'

const time = movableClock()
const minute = 60_000
let server: LanServer
let watcher: Watcher
beforeAll(async () => {
  server = await startLanServer({ substitutes: { clock: time.clock } })
  watcher = await watch(server)
})
afterAll(async () => {
  await watcher.close()
  await server.close()
})

const wrong = { status: 401, code: 'pairing.wrong_code' }
const outcome = ({ status, body }: { status: number; body: { code?: string } }) => ({
  status,
  code: body.code,
})
/** Reads the part of a refusal that may differ between cases. */
const refusal = ({ status, body }: Awaited<ReturnType<typeof askWith>>) => ({
  status,
  ...body,
  request_id: undefined,
})
const newestEntry = async () => (await server.call('GET /api/audit?limit=1&sort=-created_at')).body.data[0]

describe('a pairing window', () => {
  it('has a code of 40 bits, a secret of 128 bits and a QR code of the page with both facts', async () => {
    const { result, audit, frames } = await watcher.during(() =>
      server.call('POST /api/pairing', { body: { role: 'viewer' } }),
    )
    const { data } = result.body
    expect(data.code).toMatch(/^[0-9A-HJKMNP-TV-Z]{8}$/)
    expect(Buffer.from(data.secret, 'base64url')).toHaveLength(16)
    const url = new URL(data.qr)
    expect(`${url.origin}${url.pathname}${url.search}`).toBe(`${server.lanUrl}/pair`)
    expect(Object.fromEntries(new URLSearchParams(url.hash.slice(1)))).toEqual({
      secret: data.secret,
      fp: server.identity.fingerprint.replaceAll(':', '').toLowerCase(),
    })
    expect(data).toMatchObject({
      name: 'desk',
      words: server.identity.words,
      fingerprint: server.identity.fingerprint,
    })
    expect(audit).toEqual(['service-token create pairing service-token'])
    expect(frames).toEqual(['pairing', 'audit'])
    const window = await server.call('GET /api/pairing')
    expect(window.body.data).toMatchObject({ state: 'open', role: 'viewer', wrong_codes: 0 })
    expect(window.text).not.toContain(data.code)
    expect(window.text).not.toContain(data.secret)
  })

  it('is the only one of its admin: opening another closes it', async () => {
    const { code } = await openWindow(server)
    const { audit } = await watcher.during(() => openWindow(server))
    expect(audit).toEqual([
      'service-token create pairing service-token',
      'service-token delete pairing service-token',
    ])
    expect(outcome(await askWith(server, { code }))).toEqual(wrong)
  })

  it('does not close the window of another admin', async () => {
    const admin = await server.signedIn('admin', 'second-admin')
    const first = await openWindow(server, { role: 'viewer' })
    await openWindow(server, { role: 'viewer' }, admin.token)
    const reply = await askWith(server, { code: first.code }, { username: 'beside', name: 'Beside' })
    expect(reply.status).toBe(202)
    await answer(server, reply.body.request_id, 'refuse')
    await server.call('DELETE /api/pairing', { token: admin.token })
  })

  it('can be closed by its admin', async () => {
    const { code } = await openWindow(server)
    const { audit } = await watcher.during(() => server.call('DELETE /api/pairing'))
    expect(audit).toEqual(['service-token delete pairing service-token'])
    expect(outcome(await askWith(server, { code }))).toEqual(wrong)
    expect((await server.call('DELETE /api/pairing')).status).toBe(404)
  })

  it('expires after five minutes, which is recorded', async () => {
    const { code } = await openWindow(server)
    const { audit } = await watcher.during(() => {
      time.pass(5 * minute)
      return server.call('GET /api/pairing')
    })
    expect(audit).toEqual(['system delete pairing service-token'])
    const { result, audit: refused } = await watcher.during(() => askWith(server, { code }))
    expect(outcome(result)).toEqual(wrong)
    expect(refused).toEqual(['anonymous login_failed pairing service-token'])
    expect((await newestEntry()).summary).toBe('Refused a pairing code that had expired')
  })

  it.each([
    [{ role: 'owner' }, 'role'],
    [
      { role: 'editor', access: 'listed', memberships: [{ workspace_id: 'default', role: 'viewer' }] },
      'role',
    ],
    [{ role: 'viewer', access: 'listed' }, 'memberships'],
    [{ role: 'viewer', memberships: [{ workspace_id: 'default', role: 'viewer' }] }, 'memberships'],
    [
      { role: 'viewer', access: 'listed', memberships: [{ workspace_id: 'none', role: 'viewer' }] },
      'memberships.0.workspace_id',
    ],
  ])('is refused with %j', async (body, path) => {
    const reply = await server.call('POST /api/pairing', { body })
    expect(reply.status).toBe(422)
    expect(reply.body.errors[0].path).toBe(path)
  })

  it('is refused while sharing on the network is off', async () => {
    const alone = await startTestServer()
    const reply = await alone.call('POST /api/pairing', { body: { role: 'viewer' } })
    expect(outcome(reply)).toEqual({ status: 409, code: 'pairing.sharing_off' })
    await alone.close()
  })

  it('of an API token cannot offer the role admin', async () => {
    const { body } = await server.call('POST /api/tokens', { body: { name: 'deploy', role: 'admin' } })
    const reply = await server.call('POST /api/pairing', { token: body.data.token, body: { role: 'admin' } })
    expect(outcome(reply)).toEqual({ status: 403, code: 'auth.forbidden' })
  })
})

describe('a code', () => {
  it('is read in lower case, in two groups and with letters that look like digits', async () => {
    const { code } = await openWindow(server)
    const typed = `${code.slice(0, 4)}-${code.slice(4)}`
      .toLowerCase()
      .replaceAll('0', 'o')
      .replaceAll('1', 'l')
    const reply = await askWith(server, { code: typed }, { username: 'typist', name: 'Typist' })
    expect(reply.status).toBe(202)
    await answer(server, reply.body.request_id, 'refuse')
  })

  it('that is wrong, expired, used or closed gets the same reply', async () => {
    const { code: used } = await openWindow(server)
    const { body } = await askWith(server, { code: used }, { username: 'first', name: 'First' })
    await answer(server, body.request_id, 'refuse')
    const { code: closed } = await openWindow(server)
    await server.call('DELETE /api/pairing')
    const { code: expired } = await openWindow(server)
    time.pass(5 * minute)
    const replies = await Promise.all(
      [used, closed, expired, '00000000', ''.padEnd(8, 'Z'), 'short'].map((code, index) =>
        askWith(server, { code }, {}, `127.0.1.${index + 1}`),
      ),
    )
    const [first, ...others] = replies.map(refusal)
    expect(first).toMatchObject({ status: 401, code: 'pairing.wrong_code' })
    for (const other of others) expect(other).toEqual(first)
  })

  it('works once: the second use is refused and recorded', async () => {
    const { code, secret } = await openWindow(server)
    const first = await askWith(server, { secret }, { username: 'once', name: 'Once' })
    expect(first.status).toBe(202)
    for (const credential of [{ code }, { secret }]) {
      const { result, audit } = await watcher.during(() => askWith(server, credential, {}, '127.0.2.1'))
      expect(outcome(result)).toEqual(wrong)
      expect(audit).toEqual(['anonymous login_failed pairing service-token'])
      expect((await newestEntry()).summary).toBe('Refused a pairing code that was already used')
    }
    await answer(server, first.body.request_id, 'refuse')
  })

  it('admits one of two simultaneous requests', async () => {
    const { code } = await openWindow(server)
    const { result: replies, audit } = await watcher.during(() =>
      Promise.all(
        ['left', 'right'].map((name, index) =>
          askWith(server, { code }, { username: name, name }, `127.0.3.${index + 1}`),
        ),
      ),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([202, 401])
    expect(audit).toContain('anonymous login_failed pairing service-token')
    expect((await newestEntry()).summary).toBe('Refused a pairing code that was already used')
    await answer(server, replies.find(({ status }) => status === 202)?.body.request_id, 'refuse')
  })

  it('closes the window after ten wrong ones, from whatever addresses', async () => {
    const { code } = await openWindow(server)
    for (let guess = 1; guess <= 9; guess += 1)
      expect(outcome(await askWith(server, { code: '22222222' }, {}, `127.0.4.${guess}`))).toEqual(wrong)
    expect((await server.call('GET /api/pairing')).body.data).toMatchObject({ state: 'open', wrong_codes: 9 })
    const { audit } = await watcher.during(() => askWith(server, { code: '33333333' }, {}, '127.0.4.10'))
    expect(audit).toEqual(['anonymous login_failed pairing', 'anonymous delete pairing service-token'])
    expect((await server.call('GET /api/pairing')).body.data).toMatchObject({ state: 'guessed' })
    expect(outcome(await askWith(server, { code }, {}, '127.0.4.11'))).toEqual(wrong)
  })

  it('is slowed down for one address after five wrong ones', async () => {
    await server.call('DELETE /api/pairing')
    for (let guess = 0; guess < 5; guess += 1) await askWith(server, { code: '44444444' }, {}, '127.0.5.1')
    const reply = await askWith(server, { code: '44444444' }, {}, '127.0.5.1')
    expect(outcome(reply)).toEqual({ status: 429, code: 'rate_limited' })
    expect(reply.body.retry_after).toBeGreaterThanOrEqual(1)
    expect(reply.text).toContain('pairing codes')
    expect(outcome(await askWith(server, { code: '44444444' }, {}, '127.0.5.2'))).toEqual(wrong)
  })
})

describe('a request', () => {
  it('shows the admin device, kind, address, user agent, name and words', async () => {
    const { code } = await openWindow(server)
    const { result, audit, frames } = await watcher.during(() =>
      server.lan('POST /api/pair', {
        body: { code, name: 'Kitchen phone', kind: 'browser', username: 'Cook', password },
        headers: { 'user-agent': 'Phone/1.0' },
        from: '127.0.6.1',
      }),
    )
    expect(result.status).toBe(202)
    expect(result.body).toEqual({
      request_id: expect.any(String),
      request_secret: expect.any(String),
      name: 'desk',
      words: server.identity.words,
      expires_at: expect.any(String),
    })
    expect(Buffer.from(result.body.request_secret, 'base64url')).toHaveLength(32)
    expect(audit).toEqual(['anonymous update pairing Kitchen phone'])
    expect(frames).toEqual(['pairing', 'audit'])
    const { body, text } = await server.call('GET /api/pairing/requests')
    expect(body.data[0]).toMatchObject({
      status: 'pending',
      name: 'Kitchen phone',
      kind: 'browser',
      account: 'new',
      username: 'Cook',
      address: '127.0.6.1',
      user_agent: 'Phone/1.0',
      words: server.identity.words,
      role: 'editor',
    })
    expect(text).not.toContain(result.body.request_secret)
    expect((await stateOf(server, result.body)).body).toEqual({ status: 'pending' })
    await answer(server, result.body.request_id, 'refuse')
  })

  it.each([
    ['a weak password', { password: 'password1' }, 422, 'password'],
    ['a short password', { password: 'short' }, 422, 'password'],
    ['a reserved name', { username: 'service-token' }, 422, 'username'],
    ['no name', { username: undefined }, 422, 'username'],
    ['no device name', { name: ' ' }, 422, 'name'],
    ['an unknown kind', { kind: 'toaster' }, 422, 'kind'],
    ['a taken name', { username: 'ADMIN', account: 'new' }, 409, 'username'],
  ])('with %s is refused, and the window stays open', async (_name, more, status, path) => {
    const { code } = await openWindow(server)
    const reply = await askWith(server, { code }, more, '127.0.7.1')
    expect(reply.status).toBe(status)
    expect(reply.body.errors[0].path).toBe(path)
    expect((await server.call('GET /api/pairing')).body.data).toMatchObject({ state: 'open', wrong_codes: 0 })
  })

  it('of an SDK has no user', async () => {
    const { code } = await openWindow(server)
    const withUser = await askWith(server, { code }, { kind: 'sdk' })
    expect(withUser.status).toBe(422)
    const reserved = await askWith(server, { code }, app('sdk', 'system'))
    expect(reserved.body.errors[0].path).toBe('name')
  })

  it('of an existing user needs the right password, which the sign-in throttle protects', async () => {
    const user = await server.signedIn('viewer', 'resident')
    const { code } = await openWindow(server)
    const given = { username: 'resident', account: 'existing', password: 'not the password' }
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect(outcome(await askWith(server, { code }, given, '127.0.8.1'))).toEqual({
        status: 401,
        code: 'auth.invalid_credentials',
      })
    const right = { ...given, password: user.password }
    expect((await askWith(server, { code }, right, '127.0.8.1')).status).toBe(429)
    const unknown = await askWith(server, { code }, { ...given, username: 'nobody-here' }, '127.0.8.2')
    expect(outcome(unknown)).toEqual({ status: 401, code: 'auth.invalid_credentials' })
    const reply = await askWith(server, { code }, right, '127.0.8.3')
    expect(reply.status).toBe(202)
    await answer(server, reply.body.request_id, 'refuse')
  })

  it('is not found with a wrong secret or id, alike', async () => {
    const request = await asked(server, { username: 'hidden', name: 'Hidden' })
    const replies = await Promise.all([
      stateOf(server, { ...request, request_secret: 'x' }),
      stateOf(server, { ...request, request_id: '019aa5b2-0000-7000-8000-000000000000' }),
      server.lan(`GET /api/pair/${request.request_id}`),
    ])
    for (const { status, body } of replies)
      expect({ status, detail: body.detail }).toEqual({ status: 404, detail: replies[0]?.body.detail })
    await answer(server, request.request_id, 'refuse')
  })

  it('expires without an answer, which is recorded', async () => {
    const request = await asked(server, { username: 'late', name: 'Late' })
    const { result, audit } = await watcher.during(() => {
      time.pass(5 * minute)
      return stateOf(server, request)
    })
    expect(result.body).toEqual({ status: 'expired' })
    // Counts of failed sign-ins may be written meanwhile.
    expect(audit.filter((entry) => entry.includes(' pairing '))).toEqual(['system delete pairing Late'])
    const reply = await answer(server, request.request_id, 'approve')
    expect(outcome(reply)).toEqual({ status: 409, code: 'pairing.ended' })
  })

  it('waits for the answer', async () => {
    const request = await asked(server, { username: 'patient', name: 'Patient' })
    const waiting = stateOf(server, request, 25)
    await answer(server, request.request_id, 'refuse')
    expect((await waiting).body).toEqual({ status: 'refused' })
  })
})

describe('an approval', () => {
  it('creates the user, the device and the session, and records each', async () => {
    const request = await asked(server, { username: 'edda', name: 'Phone of Edda' })
    const { result, audit, frames } = await watcher.during(() =>
      answer(server, request.request_id, 'approve'),
    )
    expect(result.body.data).toMatchObject({ status: 'approved', answered_by: 'service-token' })
    expect(result.text).not.toContain('token":')
    expect(audit).toEqual([
      'service-token approve pairing Phone of Edda',
      'service-token create user edda',
      'service-token create device Phone of Edda',
      'edda login session edda',
    ])
    expect(frames).toEqual(['pairing', 'audit', 'user', 'audit', 'device', 'audit', 'session', 'audit'])
    const { body } = await stateOf(server, request)
    expect(body).toMatchObject({ status: 'approved', user: { username: 'edda', role: 'editor' } })
    expect(body.device_token).toMatch(/^pd_dev_[\w-]{43}$/)
    const me = await server.lan('GET /api/me', { token: body.token })
    expect(me.body).toMatchObject({ username: 'edda', role: 'editor', auth: 'session' })
    const sessions = await server.lan('GET /api/me/sessions', { token: body.token })
    expect(sessions.body.data).toMatchObject([
      { ip: '127.0.0.1', current: true, device: { name: 'Phone of Edda', kind: 'browser' } },
    ])
  })

  it('keeps role and access of an existing user', async () => {
    const user = await server.signedIn('viewer', 'keeper')
    const given = { username: 'KEEPER', password: user.password, account: 'existing', name: 'Laptop' }
    const result = await paired(server, given, { role: 'admin' })
    expect(result.user).toEqual({ id: user.id, username: 'keeper', role: 'viewer' })
    const me = await server.lan('GET /api/me', { token: result.token })
    expect(me.body.role).toBe('viewer')
  })

  it('happens once: of two admins, one gets 409', async () => {
    const request = await asked(server, { username: 'twice', name: 'Twice' })
    const { result, audit } = await watcher.during(() =>
      Promise.all([
        answer(server, request.request_id, 'approve'),
        answer(server, request.request_id, 'approve'),
        answer(server, request.request_id, 'refuse'),
      ]),
    )
    expect(result.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    expect(audit.filter((entry) => / (approve|refuse) pairing /.test(entry))).toHaveLength(1)
  })

  it('is refused if the name was taken meanwhile; the request can then be refused', async () => {
    const request = await asked(server, { username: 'popular', name: 'Popular' })
    await server.signedIn('viewer', 'popular')
    const { result, audit } = await watcher.during(() => answer(server, request.request_id, 'approve'))
    expect(outcome(result)).toEqual({ status: 409, code: 'user.username_taken' })
    // Counts of failed sign-ins may be written meanwhile.
    expect(audit.filter((entry) => !entry.includes(' login_failed '))).toEqual([])
    expect((await answer(server, request.request_id, 'refuse')).status).toBe(200)
  })

  it.each([
    ['disabled', { disabled: true }],
    ['given another password', { password: 'quite another phrase 7' }],
  ])('is refused if the account was %s meanwhile', async (name, change) => {
    const username = `moving-${Object.keys(change)[0]}`
    const user = await server.signedIn('viewer', username)
    const request = await asked(server, { username, password: user.password, account: 'existing', name })
    await server.call(`PATCH /api/users/${user.id}`, { body: change })
    const reply = await answer(server, request.request_id, 'approve')
    expect(outcome(reply)).toEqual({ status: 409, code: 'pairing.ended' })
    expect((await stateOf(server, request)).body).toEqual({ status: 'pending' })
    await answer(server, request.request_id, 'refuse')
  })

  it('stores the access of the window', async () => {
    const memberships = [{ workspace_id: 'default', role: 'editor' }]
    const rights = { role: 'viewer', access: 'listed', memberships }
    const request = await asked(server, { username: 'member', name: 'Member' }, rights)
    const { body } = await server.call('GET /api/pairing/requests')
    expect(body.data[0]).toMatchObject({ role: 'viewer', access: 'listed', memberships })
    expect((await answer(server, request.request_id, 'approve')).status).toBe(200)
  })

  it('of an SDK creates an API token with the rights of the window', async () => {
    const admin = await server.signedIn('admin', 'sdk-admin')
    const request = await asked(server, app('sdk', 'checkout'), { role: 'viewer' }, admin.token)
    const { audit } = await watcher.during(() => answer(server, request.request_id, 'approve', admin.token))
    expect(audit).toEqual([
      'sdk-admin approve pairing checkout',
      'sdk-admin create token checkout',
      'sdk-admin create device checkout',
    ])
    const { body } = await stateOf(server, request)
    expect(body).toEqual({ status: 'approved', token: expect.stringMatching(/^pd_api_/) })
    const me = await server.lan('GET /api/me', { token: body.token })
    expect(me.body).toMatchObject({ username: 'checkout', role: 'viewer', auth: 'api_token' })
  })

  it('of an API token creates no admin, who would outlive the token', async () => {
    const { body } = await server.call('POST /api/tokens', { body: { name: 'approver', role: 'admin' } })
    const request = await asked(server, { username: 'second', name: 'Second' }, { role: 'admin' })
    const reply = await answer(server, request.request_id, 'approve', body.data.token)
    expect(outcome(reply)).toEqual({ status: 403, code: 'auth.forbidden' })
    expect((await stateOf(server, request)).body).toEqual({ status: 'pending' })
    expect((await answer(server, request.request_id, 'refuse', body.data.token)).status).toBe(200)
  })

  it('leaves the rule about the last admin as it is', async () => {
    const alone = await startLanServer()
    const result = await paired(
      alone,
      { username: 'admin', password: adminPassword, account: 'existing' },
      {
        role: 'viewer',
      },
    )
    expect(result.user?.role).toBe('admin')
    const demoted = await alone.call(`PATCH /api/users/${result.user?.id}`, { body: { role: 'viewer' } })
    expect(outcome(demoted)).toEqual({ status: 409, code: 'user.last_admin' })
    await alone.close()
  })
})
