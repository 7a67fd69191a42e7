import { describe, expect, it } from 'vitest'
import { adminPassword } from '../../support/lan/lan.ts'
import { startLanServer } from '../../support/lan/listener.ts'
import { answer, app, asked, paired, stateOf } from './pairing-support.ts'
import { outcome, server, setUpService, watcher } from './watched-lan-service.ts'

setUpService()

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

  it('stores no membership of a workspace that was deleted meanwhile', async () => {
    const workspace = (await server.call('POST /api/workspaces', { body: { name: 'Short' } })).body.data
    const memberships = [{ workspace_id: workspace.id, role: 'editor' }]
    const rights = { role: 'viewer', access: 'listed', memberships }
    const request = await asked(server, { username: 'late', name: 'Late' }, rights)
    expect((await server.call(`DELETE /api/workspaces/${workspace.id}`)).status).toBe(200)
    const reply = await answer(server, request.request_id, 'approve')
    expect(outcome(reply)).toEqual({ status: 422, code: 'request.invalid' })
    expect((await stateOf(server, request)).body).toEqual({ status: 'pending' })
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
