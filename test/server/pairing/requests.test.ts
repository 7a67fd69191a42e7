import { describe, expect, it } from 'vitest'
import { answer, app, asked, askWith, openWindow, password, stateOf } from './pairing-support.ts'
import { minute, outcome, server, setUpService, time, watcher } from './watched-lan-service.ts'

setUpService()

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
