import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { movableClock, type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { connect } from '../live/live-support.ts'

const day = 24 * 3_600_000
const time = movableClock()
let server: TestServer
let watcher: Watcher
let number = 0
beforeAll(async () => {
  server = await startTestServer({ substitutes: { clock: time.clock } })
  watcher = await watch(server)
})
afterAll(async () => {
  await watcher.close()
  await server.close()
})

type CreatedToken = { id: string; token: string; role: string; expires_at: string; notice: string | null }
const admin = (name = `admin-of-${++number}`) => server.signedIn('admin', name)
async function createToken(token: string, body: object = {}): Promise<CreatedToken> {
  const reply = await server.call('POST /api/tokens', { token, body: { name: `t-${++number}`, ...body } })
  expect(reply.status, reply.text).toBe(201)
  return reply.body.data
}
const listed = async (id: string) => {
  const { data } = (await server.call('GET /api/tokens?limit=200')).body
  return data.find((token: { id: string }) => token.id === id)
}
const roleOf = async (token: string) => {
  const reply = await server.call('GET /api/me', { token })
  return reply.status === 200 ? reply.body.role : reply.status
}
const patchUser = (id: string, body: object) => server.call(`PATCH /api/users/${id}`, { body })
const inDays = (days: number) => new Date(time.clock.now().getTime() + days * day).toISOString()

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

describe('an API token as the creator', () => {
  it('creates tokens that depend on it, and no admin tokens unless the setting allows it', async () => {
    const user = await admin()
    const parent = await createToken(user.token, { role: 'admin' })
    const refused = await server.call('POST /api/tokens', {
      token: parent.token,
      body: { name: 'x', role: 'admin' },
    })
    expect([refused.status, refused.body.code]).toEqual([403, 'auth.forbidden'])
    expect(refused.body.detail).toContain('cannot create a token with the role admin')

    const child = await createToken(parent.token, { role: 'editor' })
    expect(await listed(child.id)).toMatchObject({ owner: { kind: 'api_token', id: parent.id } })
    await patchUser(user.id, { role: 'viewer' })
    expect(await roleOf(child.token)).toBe('viewer')
    await patchUser(user.id, { role: 'admin' })
    const url = `${server.url.replace('http', 'ws')}/ws?namespace=prod`
    const peer = await connect(url, { authorization: `Bearer ${child.token}` })
    await server.call(`DELETE /api/tokens/${parent.id}`)
    expect((await peer.closed).code).toBe(4401)
    expect(await roleOf(child.token)).toBe(401)
    expect(await listed(child.id)).toMatchObject({ ended: 'owner_deleted' })
  })

  it('cannot make itself or others independent, and creates nothing that outlives it', async () => {
    const parent = await createToken((await admin()).token, { role: 'admin', expires_at: inDays(10) })
    const callAsParent = (what: string, body: object) => server.call(what, { token: parent.token, body })
    const statuses = [
      await callAsParent(`PATCH /api/tokens/${parent.id}`, { binding: 'service' }),
      await callAsParent('POST /api/tokens', { name: 'x', binding: 'service' }),
      await callAsParent('PATCH /api/settings', { api_tokens_may_create_admins: true }),
      await callAsParent('POST /api/settings/service-token', {}),
    ].map(({ status, body }) => [status, body.code])
    expect(statuses.slice(0, 3)).toEqual(Array(3).fill([403, 'auth.forbidden']))
    expect(statuses[3]?.[0]).toBeGreaterThanOrEqual(403)
    const longer = await callAsParent('POST /api/tokens', { name: 'x', expires_at: inDays(11) })
    expect([longer.status, longer.body.errors[0].path]).toEqual([422, 'expires_at'])
    const child = await createToken(parent.token)
    expect(child.expires_at).toBe(parent.expires_at)
    expect(child.notice).toContain('with the token that created it')
  })

  it('may create admin tokens if the setting allows it; a chain is limited', async () => {
    const user = await admin()
    const setting = (value: boolean) =>
      server.call('PATCH /api/settings', { body: { api_tokens_may_create_admins: value } })
    expect((await setting(true)).body.data.api_tokens_may_create_admins).toBe(true)
    let last = await createToken(user.token, { role: 'admin' })
    for (let i = 0; i < 2; i += 1) last = await createToken(last.token, { role: 'admin' })
    expect(await roleOf(last.token)).toBe('admin')
    const tooLong = await server.call('POST /api/tokens', { token: last.token, body: { name: 'x' } })
    expect(tooLong.status).toBe(422)
    await setting(false)
    await patchUser(user.id, { role: 'editor' })
    expect(await roleOf(last.token)).toBe('editor')
  })
})

describe('the lifetime of a token', () => {
  it('is a year unless it is shorter, and the reply contains it', async () => {
    const { token } = await admin()
    const byDefault = await createToken(token)
    const longest = Date.parse(inDays(365))
    expect(Math.abs(Date.parse(byDefault.expires_at) - longest)).toBeLessThan(60_000)
    expect(byDefault.notice).toContain('365 days')
    const explicit = await createToken(token, { expires_at: inDays(30) })
    expect(explicit.notice).toBeNull()
    const cleared = await createToken(token, { expires_at: null })
    expect(cleared.notice).toContain('365 days')
    const tooLong = await server.call('POST /api/tokens', {
      token,
      body: { name: 'x', expires_at: inDays(366) },
    })
    expect([tooLong.status, tooLong.body.errors[0].path]).toEqual([422, 'expires_at'])
    expect(tooLong.body.errors[0].message).toContain('api_token_max_days')
  })

  it('is that of the setting, for new tokens only', async () => {
    const { token } = await admin()
    const before = await createToken(token, { expires_at: inDays(300) })
    const change = await watcher.during(() =>
      server.call('PATCH /api/settings', { body: { api_token_max_days: 30 } }),
    )
    expect(change.audit).toEqual(['service-token setting_change setting api_token_max_days'])
    expect((await listed(before.id)).expires_at).toBe(before.expires_at)
    const reply = await server.call('POST /api/tokens', {
      token,
      body: { name: 'x', expires_at: inDays(31) },
    })
    expect(reply.status).toBe(422)
    const after = await createToken(token)
    expect(Date.parse(after.expires_at)).toBeLessThan(Date.parse(inDays(31)))
    for (const days of [0, 3651, 1.5]) {
      const bad = await server.call('PATCH /api/settings', { body: { api_token_max_days: days } })
      expect(bad.status).toBe(422)
    }
    await server.call('PATCH /api/settings', { body: { api_token_max_days: 365 } })
  })

  it.each(['service-token', 'System', ' anonymous '])('refuses the name %s', async (name) => {
    const reply = await server.call('POST /api/tokens', { body: { name } })
    expect([reply.status, reply.body.errors[0].path]).toEqual([422, 'name'])
  })

  it('refuses an account for a token created by the service token', async () => {
    const reply = await server.call('POST /api/tokens', { body: { name: 'x', binding: 'owner' } })
    expect([reply.status, reply.body.errors[0].path]).toEqual([422, 'binding'])
  })
})
