import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bare } from '../../../support/bare.ts'
import { closeCode, openSocket, type Scenario } from '../../../support/scenario.ts'
import { me, type SignedIn, server, setUpService, status, time, watcher } from './sessions-support.ts'

setUpService()

let serial = 0

describe('my password', () => {
  const change = (name: string, body: unknown, rest: Partial<Scenario> & { status: number }): Scenario => ({
    name,
    call: 'PUT /api/me/password',
    token: () => thora.token,
    body,
    ...rest,
  })
  let thora: SignedIn
  beforeAll(async () => {
    thora = await server.signedIn('editor', 'Thora')
  })
  const currentPassword = 'a phrase of Thora 1'

  const next = 'another phrase of mine'
  const invalid = (name: string, body: object, field: string) =>
    change(
      name,
      { current_password: currentPassword, ...body },
      {
        status: 422,
        reply: { code: 'request.invalid' },
        fields: [field],
      },
    )
  it.each<Scenario>([
    invalid(
      'is not changed without the current password',
      { current_password: undefined, new_password: next },
      'current_password',
    ),
    change(
      'is not changed with a wrong current password',
      { current_password: 'x', new_password: next },
      {
        status: 401,
        reply: { code: 'auth.invalid_credentials', errors: [{ path: 'current_password' }] },
      },
    ),
    invalid('must be long enough', { new_password: '7 chars' }, 'new_password'),
    invalid('must not be too long', { new_password: 'x7'.repeat(129) }, 'new_password'),
    {
      ...invalid('must not be common', { new_password: 'Password123' }, 'new_password'),
      forbidden: ['Password123'],
    },
    invalid('must not be trivial', { new_password: 'abababababab' }, 'new_password'),
    invalid('rejects unknown fields', { new_password: next, role: 'admin' }, 'role'),
    {
      name: 'does not exist for the service token',
      call: 'PUT /api/me/password',
      body: { current_password: 'x', new_password: 'another phrase of mine' },
      status: 403,
      reply: { code: 'auth.forbidden' },
    },
  ])('$name', (scenario) => watcher.run(scenario))

  it('ends every other session when it is changed, and keeps the current one', async () => {
    const other = await server.login('Thora', thora.password)
    const sockets = [await openSocket(server, other), await openSocket(server, thora.token)] as const
    const code = closeCode(sockets[0])
    await watcher.run(
      change(
        'works',
        { current_password: currentPassword, new_password: 'another phrase of mine' },
        {
          status: 200,
          reply: { ok: true },
          audit: ['Thora password_change user Thora'],
          frames: ['user', 'audit'],
        },
      ),
    )
    expect(await code).toBe(4401)
    expect(await status(other)).toBe(401)
    expect(await status(thora.token)).toBe(200)
    expect(sockets[1].readyState).toBe(sockets[1].OPEN)
    sockets[1].terminate()
    await expect(server.login('Thora', currentPassword)).rejects.toThrow('401')
    expect(await server.login('Thora', 'another phrase of mine')).toBeTruthy()
    const log = await server.call('GET /api/audit/export?format=jsonl')
    expect(log.text).not.toContain('another phrase')
  })
})

describe('a user who must choose a new password', () => {
  let user: SignedIn
  beforeAll(async () => {
    user = await server.signedIn('admin', 'Asked')
    await server.call(`PATCH /api/users/${user.id}`, { body: { must_change_password: true } })
  })
  const required = { status: 403, reply: { code: 'auth.password_change_required' } } as const

  it.each<Scenario>([
    { name: 'cannot read', call: 'GET /api/runs', token: () => user.token, ...required },
    { name: 'cannot list sessions', call: 'GET /api/me/sessions', token: () => user.token, ...required },
    { name: 'cannot manage users', call: 'GET /api/users', token: () => user.token, ...required },
    {
      name: 'can read their own account',
      call: 'GET /api/me',
      token: () => user.token,
      status: 200,
      reply: { must_change_password: true, role: 'admin' },
    },
  ])('$name', (scenario) => watcher.run(scenario))

  it('cannot open a live connection', async () => {
    await expect(openSocket(server, user.token)).rejects.toThrow()
  })

  it('has access once the new password is chosen', async () => {
    const token = await server.login('Asked', user.password)
    const reply = await server.call('PUT /api/me/password', {
      token,
      body: { current_password: user.password, new_password: 'a phrase of my choice' },
    })
    expect(reply.status).toBe(200)
    expect((await me(token)).must_change_password).toBe(false)
    expect((await server.call('GET /api/users', { token })).status).toBe(200)
  })
})

describe('an admin ends sessions', () => {
  let target: SignedIn
  let socket: Awaited<ReturnType<typeof openSocket>>
  beforeEach(async () => {
    serial += 1
    target = await server.signedIn('editor', `Target-${serial}`)
    socket = await openSocket(server, target.token)
  })
  afterEach(() => socket.terminate())

  it.each([
    ['by revoking sessions', 'POST', '/revoke-sessions', undefined, 'revoke', 'session'],
    [
      'by setting a password',
      'PATCH',
      '',
      { password: 'a phrase from the admin' },
      'password_change',
      'user',
    ],
    ['by disabling the user', 'PATCH', '', { disabled: true }, 'update', 'user'],
    ['by deleting the user', 'DELETE', '', undefined, 'delete', 'user'],
  ])('%s', async (_, method, path, body, action, frame) => {
    const code = closeCode(socket)
    await watcher.run({
      name: action,
      call: `${method} /api/users/${target.id}${path}`,
      body,
      status: 200,
      audit: [`service-token ${action} user ${target.username}`],
      frames: [frame, 'audit'],
    })
    expect(await code).toBe(4401)
    expect(await status(target.token)).toBe(401)
  })

  it('one by one, together with a session that it replaced a moment ago', async () => {
    time.pass(1000)
    const changed = await server.call('PUT /api/me/password', {
      token: target.token,
      body: { current_password: target.password, new_password: 'a phrase of my own' },
    })
    expect(changed.status).toBe(200)
    expect(await status(target.token)).toBe(200)
    const { data } = (await server.call(`GET /api/users/${target.id}/sessions`)).body
    const [newest] = data
    expect((await server.call(`DELETE /api/users/${target.id}/sessions/${newest.id}`)).status).toBe(200)
    expect(await status(changed.body.token)).toBe(401)
    expect(await status(target.token)).toBe(401)
  })

  it.each([
    ['PATCH', { role: 'viewer' }, 403],
    ['DELETE', undefined, 401],
  ])('and a request whose body arrives later: %s %j', async (method, body, status) => {
    const admin = await server.signedIn('admin')
    const headers = { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' }
    const token = '{"name":"survivor","role":"admin","binding":"service"}'
    const reply = await bare(server.url, '/api/tokens', headers, 'POST', token, () =>
      server.call(`${method} /api/users/${admin.id}`, { body }),
    )
    expect(reply.status).toBe(status)
  })

  it('not by changing a role, which applies from the next request on', async () => {
    expect(
      (await server.call('POST /api/workspaces', { token: target.token, body: { name: 'A' } })).status,
    ).toBe(201)
    await server.call(`PATCH /api/users/${target.id}`, { body: { role: 'viewer' } })
    const reply = await server.call('POST /api/workspaces', { token: target.token, body: { name: 'B' } })
    expect(reply.status).toBe(403)
    expect(reply.body).toMatchObject({ code: 'auth.forbidden', required_role: 'editor' })
    expect(await me(target.token)).toMatchObject({ role: 'viewer' })
    expect(socket.readyState).toBe(socket.OPEN)
  })

  it('after listing them, and receives their number', async () => {
    await server.login(target.username, target.password)
    const reply = await server.call(`GET /api/users/${target.id}/sessions`)
    expect(reply.body).toMatchObject({ total: 2, next_cursor: null })
    expect(reply.body.data.every((session: { current: boolean }) => !session.current)).toBe(true)
    const revoked = await server.call(`POST /api/users/${target.id}/revoke-sessions`)
    expect(revoked.body).toEqual({ ok: true, revoked: 2 })
    const again = await watcher.during(() => server.call(`POST /api/users/${target.id}/revoke-sessions`))
    expect(again.result.body).toEqual({ ok: true, revoked: 0 })
    expect(again.audit).toEqual([])
  })
})
