import { describe, expect, it } from 'vitest'
import { server, setUpService } from '../file-service.ts'

let token: string
let admin: { id: string; token: string }
setUpService(async () => {
  admin = await server.signedIn('admin', 'root')
  const reply = await server.call('POST /api/tokens', {
    token: admin.token,
    body: { name: 'automation', role: 'admin' },
  })
  expect(reply.status).toBe(201)
  token = reply.body.data.token
})

const forbidden = { status: 403, body: { code: 'auth.forbidden' } }
const auditTotal = async () => (await server.call('GET /api/audit?resource=user&limit=1')).body.total

describe('an API token with the role admin', () => {
  it('manages users below its role', async () => {
    const body = { username: 'edda', password: 'a quiet river stone', role: 'viewer' }
    const created = await server.call('POST /api/users', { token, body })
    expect(created.status).toBe(201)
    const path = `/api/users/${created.body.data.id}`
    expect(await server.call(`PATCH ${path}`, { token, body: { role: 'editor' } })).toMatchObject({
      status: 200,
      body: { data: { role: 'editor' } },
    })
    const password = { password: 'another quiet river' }
    expect((await server.call(`PATCH ${path}`, { token, body: password })).status).toBe(200)
  })

  it('creates no admin and does not change admin accounts, and the attempt is not audited', async () => {
    const finn = await server.signedIn('editor', 'finn')
    const before = await auditTotal()
    const create = { username: 'mole', password: 'a quiet river stone', role: 'admin' }
    expect(await server.call('POST /api/users', { token, body: create })).toMatchObject(forbidden)
    expect(
      await server.call(`PATCH /api/users/${finn.id}`, { token, body: { role: 'admin' } }),
    ).toMatchObject(forbidden)
    expect(
      await server.call(`PUT /api/users/${admin.id}`, { token, body: { password: 'a quiet river stone' } }),
    ).toMatchObject(forbidden)
    const memberships = [{ workspace_id: 'default', role: 'admin' }]
    const listed = { ...create, role: 'viewer', access: 'listed', memberships }
    expect(await server.call('POST /api/users', { token, body: listed })).toMatchObject(forbidden)
    const access = { role: 'viewer', access: 'listed', memberships }
    expect(await server.call(`PATCH /api/users/${finn.id}`, { token, body: access })).toMatchObject(forbidden)
    await server.call('POST /api/users', { body: { ...listed, username: 'keeper' } })
    const keeper = (await server.call('GET /api/users?q=keeper')).body.data[0].id
    expect(await server.call(`POST /api/users/${keeper}/password-link`, { token })).toMatchObject(forbidden)
    await server.call(`PATCH /api/users/${keeper}`, { body: { disabled: true } })
    const enable = { disabled: false }
    expect(await server.call(`PATCH /api/users/${keeper}`, { token, body: enable })).toMatchObject(forbidden)
    expect(await auditTotal()).toBe(before + 2)
    expect((await server.call('GET /api/users?q=mole')).body.total).toBe(0)
    expect((await server.call('GET /api/me', { token: admin.token })).status).toBe(200)
  })

  it('sets no password of a user who becomes an admin meanwhile', async () => {
    const { id } = await server.signedIn('editor', 'hanna')
    const [reply] = await Promise.all([
      server.call(`PATCH /api/users/${id}`, { token, body: { password: 'a quiet river stone' } }),
      server.call(`PATCH /api/users/${id}`, { token: admin.token, body: { role: 'admin' } }),
    ])
    const latest = (await server.call(`GET /api/audit?resource_id=${id}&limit=1`)).body.data[0]
    expect(latest.action, `after ${reply.status}`).toBe('role_change')
  })

  it('may do so if the setting allows it', async () => {
    const allow = { api_tokens_may_create_admins: true }
    expect((await server.call('PATCH /api/settings', { token: admin.token, body: allow })).status).toBe(200)
    const body = { username: 'greta', password: 'a quiet river stone', role: 'admin' }
    expect((await server.call('POST /api/users', { token, body })).status).toBe(201)
  })
})
