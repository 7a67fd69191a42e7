import { describe, expect, it } from 'vitest'
import { connect } from '../live/live-support.ts'
import {
  admin,
  createToken,
  listed,
  number,
  patchUser,
  roleOf,
  server,
  setUpService,
  watcher,
} from './owners-support.ts'

setUpService()

describe('a token of a user', () => {
  it('names its creator and depends on it', async () => {
    const user = await admin()
    const { id } = await createToken(user.token, { role: 'editor' })
    expect(await listed(id)).toMatchObject({
      created_by: user.username,
      created_by_id: user.id,
      binding: 'owner',
      owner: { kind: 'user', id: user.id, name: user.username },
      role: 'editor',
      effective_role: 'editor',
      ended: null,
    })
  })

  it('has the lower of its role and that of its creator, at each request', async () => {
    const user = await admin()
    const strong = await createToken(user.token, { role: 'admin' })
    const weak = await createToken(user.token, { role: 'viewer' })
    expect(await roleOf(strong.token)).toBe('admin')
    const change = await watcher.during(() => patchUser(user.id, { role: 'editor' }))
    expect(change.frames).toEqual(['user', 'token', 'audit'])
    expect(await roleOf(strong.token)).toBe('editor')
    expect((await server.call('GET /api/users', { token: strong.token })).status).toBe(403)
    await patchUser(user.id, { role: 'viewer' })
    expect(await roleOf(strong.token)).toBe('viewer')
    expect(await roleOf(weak.token)).toBe('viewer')
    expect(await listed(strong.id)).toMatchObject({ role: 'admin', effective_role: 'viewer' })
    await patchUser(user.id, { role: 'admin' })
    expect(await roleOf(strong.token)).toBe('admin')
    expect(await roleOf(weak.token)).toBe('viewer')
  })

  it('is refused while the account is disabled, and its sockets end immediately', async () => {
    const user = await admin()
    const { id, token } = await createToken(user.token)
    const url = `${server.url.replace('http', 'ws')}/ws?namespace=prod`
    const peer = await connect(url, { authorization: `Bearer ${token}` })
    await patchUser(user.id, { disabled: true })
    expect((await peer.closed).code).toBe(4401)
    expect(await roleOf(token)).toBe(401)
    const login = await server.call('POST /api/login', { token: null, body: { token } })
    expect(login.status).toBe(401)
    expect(await listed(id)).toMatchObject({ effective_role: null, ended: 'owner_disabled' })
    await patchUser(user.id, { disabled: false })
    expect(await roleOf(token)).toBe('viewer')
  })

  it('ends with the account, even if another user gets the name; the log has the number', async () => {
    const user = await admin('leaver')
    const { id, token } = await createToken(user.token)
    await server.call(`DELETE /api/users/${user.id}`)
    expect(await roleOf(token)).toBe(401)
    const entry = (await server.call('GET /api/audit?resource=user&limit=1')).body.data[0]
    expect(entry.summary).toBe('Deleted the user leaver; API tokens that end with it: 1')
    const next = await admin('leaver')
    expect(next.id).not.toBe(user.id)
    expect(await roleOf(token)).toBe(401)
    expect(await listed(id)).toMatchObject({
      created_by: 'leaver',
      owner: { id: user.id, name: null },
      effective_role: null,
      ended: 'owner_deleted',
    })
    expect((await server.call(`GET /api/tokens?owner=${next.id}`)).body.total).toBe(0)
  })

  it('gets fewer frames after a demotion, on the open socket', async () => {
    const user = await admin()
    const { token } = await createToken(user.token, { role: 'admin' })
    const url = `${server.url.replace('http', 'ws')}/ws?namespace=*`
    const peer = await connect(url, { authorization: `Bearer ${token}` })
    expect((await peer.next()).type).toBe('hello')
    await server.signedIn('viewer', `before-${number}`)
    await expect.poll(() => peer.frames.some((frame) => frame.entity === 'user')).toBe(true)
    await patchUser(user.id, { role: 'viewer' })
    await expect.poll(() => peer.frames.filter((frame) => frame.entity === 'audit').length).toBeGreaterThan(1)
    const before = peer.frames.filter((frame) => frame.entity === 'user').length
    const audits = peer.frames.filter((frame) => frame.entity === 'audit').length
    await server.signedIn('viewer', `after-${number}`)
    await expect
      .poll(() => peer.frames.filter((frame) => frame.entity === 'audit').length)
      .toBeGreaterThan(audits + 1)
    expect(peer.frames.filter((frame) => frame.entity === 'user')).toHaveLength(before)
    peer.socket.close()
    await peer.closed
  })
})

describe('a token without an owner', () => {
  it('does not depend on an account, if an admin chooses so at creation', async () => {
    const user = await admin()
    const { id, token } = await createToken(user.token, { binding: 'service', role: 'editor' })
    await patchUser(user.id, { disabled: true })
    expect(await roleOf(token)).toBe('editor')
    expect(await listed(id)).toMatchObject({ binding: 'service', owner: null, created_by: user.username })
  })

  it('is made from a token by an admin, and can get an owner again, audited', async () => {
    const user = await admin()
    const other = await admin()
    const { id, token } = await createToken(user.token)
    const name = (await listed(id)).name
    const unbound = await watcher.during(() =>
      server.call(`PATCH /api/tokens/${id}`, { token: other.token, body: { binding: 'service' } }),
    )
    expect(unbound.result.body.data).toMatchObject({
      binding: 'service',
      owner: null,
      effective_role: 'viewer',
    })
    expect(unbound.audit).toEqual([`${other.username} update token ${name}`])
    expect(unbound.frames).toEqual(['token', 'audit'])
    await server.call(`DELETE /api/users/${user.id}`)
    expect(await roleOf(token)).toBe('viewer')

    const binding = { binding: 'owner', owner: other.username }
    const bound = await watcher.during(() => server.call(`PATCH /api/tokens/${id}`, { body: binding }))
    expect(bound.result.body.data.owner).toEqual({ kind: 'user', id: other.id, name: other.username })
    expect(bound.audit).toEqual([`service-token update token ${name}`])
    const again = await watcher.during(() => server.call(`PATCH /api/tokens/${id}`, { body: binding }))
    expect(again).toMatchObject({ audit: [], frames: [] })
    await patchUser(other.id, { disabled: true })
    expect(await roleOf(token)).toBe(401)
  })

  it.each([
    ['nobody', { binding: 'owner' }, 'owner'],
    ['an unknown user', { binding: 'owner', owner: 'nobody' }, 'owner'],
    ['an unknown kind of owner', { binding: 'undecided' }, 'binding'],
  ])('cannot be bound to %s', async (_, body, path) => {
    const { id } = await createToken((await admin()).token)
    const reply = await server.call(`PATCH /api/tokens/${id}`, { body })
    expect(reply.status).toBe(422)
    expect(reply.body.errors[0].path).toBe(path)
  })

  it('cannot be bound to a disabled user', async () => {
    const user = await admin()
    await patchUser(user.id, { disabled: true })
    const { id } = await createToken((await admin()).token)
    const reply = await server.call(`PATCH /api/tokens/${id}`, { body: { binding: 'owner', owner: user.id } })
    expect([reply.status, reply.body.errors[0].path]).toEqual([422, 'owner'])
  })
})
