import { describe, expect, it } from 'vitest'
import { startTestServer } from '../../support/service.ts'
import { answer, askWith, openWindow } from './pairing-support.ts'
import { minute, outcome, server, setUpService, time, watcher } from './watched-lan-service.ts'

setUpService()

const wrong = { status: 401, code: 'pairing.wrong_code' }

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
