import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../support/service.ts'

type Listed = {
  role: string
  description: string
  permissions: string[]
  holders: string[]
  holder_count: number
}

describe('GET /api/roles', () => {
  let server: TestServer
  let viewer: string
  beforeAll(async () => {
    server = await startTestServer()
    viewer = (await server.signedIn('viewer', 'vera')).token
    for (const name of ['ada', 'bert', 'cleo', 'dora', 'emil', 'fred']) {
      const body = { username: name, password: `a phrase of ${name} 1`, role: 'editor' }
      await server.call('POST /api/users', { body })
    }
    const disabled = await server.signedIn('admin', 'gone')
    await server.call(`PATCH /api/users/${disabled.id}`, { body: { disabled: true } })
  })
  afterAll(() => server.close())

  const roles = async (token: string): Promise<Listed[]> =>
    (await server.call('GET /api/roles', { token })).body.data
  const find = (list: readonly Listed[], role: string): Listed => {
    const found = list.find((candidate) => candidate.role === role)
    if (found === undefined) throw new Error(`no ${role}`)
    return found
  }

  it('names contacts for a viewer: the active admins, and some editors', async () => {
    const list = await roles(viewer)
    expect(list.map(({ role }) => role)).toEqual(['viewer', 'editor', 'admin'])
    expect(find(list, 'admin')).toMatchObject({ holders: ['admin'], holder_count: 1 })
    expect(find(list, 'editor').holders).toEqual(['ada', 'bert', 'cleo', 'dora', 'emil'])
    expect(find(list, 'editor').holder_count).toBe(6)
  })

  it('sorts by the last sign-in', async () => {
    await server.login('fred', 'a phrase of fred 1')
    expect(find(await roles(viewer), 'editor').holders).toEqual(['fred', 'ada', 'bert', 'cleo', 'dora'])
  })

  it('counts viewers without naming them, not even to themselves', async () => {
    expect(find(await roles(viewer), 'viewer')).toMatchObject({ holders: [], holder_count: 1 })
  })

  it('lists the permissions of each role, with the setting that changes one', async () => {
    const rolesThatCreate = async () =>
      (await roles(viewer))
        .filter(({ permissions }) => permissions.includes('workspaces.create'))
        .map(({ role }) => role)
    expect(await rolesThatCreate()).toEqual(['editor', 'admin'])
    await server.call('PATCH /api/settings', { body: { workspace_creation_role: 'viewer' } })
    expect(await rolesThatCreate()).toEqual(['viewer', 'editor', 'admin'])
    expect(find(await roles(viewer), 'admin').permissions).toContain('users.manage')
    expect(find(await roles(viewer), 'editor').permissions).not.toContain('users.manage')
    expect(find(await roles(viewer), 'editor').permissions).not.toContain('environments.protected')
    expect(find(await roles(viewer), 'editor').description).toContain('protected environment')
    expect(find(await roles(viewer), 'admin').description).toContain('which environments are protected')
  })

  it('needs a token', async () => {
    expect((await server.call('GET /api/roles', { token: null })).status).toBe(401)
  })
})

describe('DELETE /api/users/:id/sessions/:session_id', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer()
  })
  afterAll(() => server.close())

  it('ends that session only, and audits it once', async () => {
    const { id, username, password, token } = await server.signedIn('viewer', 'vera')
    const other = await server.login(username, password)
    const list: { id: string; current: boolean }[] = (await server.call('GET /api/me/sessions', { token }))
      .body.data
    const current = list.find((session) => session.current)?.id
    expect(await server.call(`DELETE /api/users/${id}/sessions/${current}`)).toMatchObject({
      status: 200,
      body: { ok: true },
    })
    expect((await server.call('GET /api/me', { token })).status).toBe(401)
    expect((await server.call('GET /api/me', { token: other })).status).toBe(200)
    const audit = await server.call(`GET /api/audit?resource_id=${current}&action=revoke`)
    expect(audit.body.data).toHaveLength(1)
    expect(audit.body.data[0]).toMatchObject({
      action: 'revoke',
      resource: 'session',
      key: 'vera',
      actor: 'service-token',
      summary: 'Ended a session of vera',
    })
  })

  it("does not find another user's session, and does not audit the attempt", async () => {
    const ann = await server.signedIn('viewer', 'ann')
    const bob = await server.signedIn('viewer', 'bob')
    const [session] = (await server.call('GET /api/me/sessions', { token: bob.token })).body.data
    const before = (await server.call('GET /api/audit?limit=1')).body.data[0].id
    const reply = await server.call(`DELETE /api/users/${ann.id}/sessions/${session.id}`)
    expect(reply.status).toBe(404)
    expect((await server.call(`DELETE /api/users/nobody/sessions/${session.id}`)).status).toBe(404)
    expect((await server.call('GET /api/me', { token: bob.token })).status).toBe(200)
    expect((await server.call('GET /api/audit?limit=1')).body.data[0].id).toBe(before)
  })
})
