import { describe, expect, it } from 'vitest'
import { connect } from '../live/live-support.ts'
import {
  admin,
  createToken,
  listed,
  patchUser,
  roleOf,
  server,
  setUpService,
  time,
  watcher,
} from './owners-support.ts'

const day = 24 * 3_600_000

setUpService()

const inDays = (days: number) => new Date(time.clock.now().getTime() + days * day).toISOString()

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
