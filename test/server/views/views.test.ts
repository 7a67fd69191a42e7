import { describe, expect, it } from 'vitest'
import { server, setUpService } from '../file-service.ts'

const tokens: Record<string, string> = {}
setUpService(async () => {
  tokens['vera'] = (await server.signedIn('viewer', 'vera')).token
  tokens['edda'] = (await server.signedIn('editor', 'edda')).token
  tokens['ed'] = (await server.signedIn('editor', 'ed')).token
  tokens['ada'] = (await server.signedIn('admin', 'ada')).token
  await server.call('POST /api/workspaces', { body: { name: 'Team', slug: 'team' } })
})

const as = (user: string, what: string, body?: unknown) =>
  server.call(what, { token: tokens[user] ?? null, ...(body !== undefined && { body }) })
const create = async (user: string, body: object = {}) =>
  as(user, 'POST /api/views', { name: 'Errors', page: 'runs', query: 'status=error', ...body })
const namesOf = async (user: string, query = '') =>
  (await as(user, `GET /api/views${query}`)).body.data.map(({ name }: { name: string }) => name)
const auditOf = async (id: string) =>
  (await server.call(`GET /api/audit?resource=view&resource_id=${id}`)).body.data.map(
    ({ action, actor }: { action: string; actor: string }) => `${actor} ${action}`,
  )

describe('a private view', () => {
  it('is visible to its owner only, and each change is audited once', async () => {
    const created = await create('vera', { columns: ['time', 'cost'] })
    expect(created.status).toBe(201)
    const { id, ...view } = created.body.data
    expect(view).toMatchObject({
      name: 'Errors',
      page: 'runs',
      query: 'status=error',
      columns: ['time', 'cost'],
      shared: false,
      workspace_id: null,
      owner: 'vera',
      can_edit: true,
    })
    for (const user of ['edda', 'ada']) {
      expect(await namesOf(user)).toEqual([])
      expect((await as(user, `PATCH /api/views/${id}`, { name: 'x' })).status).toBe(404)
      expect((await as(user, `DELETE /api/views/${id}`)).status).toBe(404)
    }
    const renamed = await as('vera', `PATCH /api/views/${id}`, { name: 'All errors', columns: null })
    expect(renamed.body.data).toMatchObject({ name: 'All errors', columns: null, query: 'status=error' })
    // A change that changes nothing is not audited.
    await as('vera', `PATCH /api/views/${id}`, renamed.body.data)
    expect((await as('vera', `DELETE /api/views/${id}`)).body).toEqual({ ok: true })
    expect(await auditOf(id)).toEqual(['vera delete', 'vera update', 'vera create'])
    expect(await namesOf('vera')).toEqual([])
    // Everybody reads the audit log.
    const { data } = (await as('edda', `GET /api/audit?resource=view&resource_id=${id}`)).body
    for (const entry of data) {
      expect(entry.key).toBeNull()
      const { text } = await as('edda', `GET /api/audit/${entry.id}`)
      for (const secret of ['Errors', 'All errors', 'status=error', 'cost'])
        expect(text).not.toContain(secret)
    }
  })

  it('is deleted with its owner', async () => {
    const temporary = await server.signedIn('editor', 'temp')
    tokens['temp'] = temporary.token
    const own = (await create('temp', { name: 'Own' })).body.data
    await create('temp', { name: 'For all', shared: true, workspace_id: 'team' })
    await server.call(`DELETE /api/users/${temporary.id}`)
    expect(await namesOf('ada')).toEqual(['For all'])
    const [left] = (await as('ada', 'GET /api/views')).body.data
    expect((await as('ada', `DELETE /api/views/${left.id}`)).status).toBe(200)
    expect((await as('ada', `DELETE /api/views/${own.id}`)).status).toBe(404)
  })
})

describe('a shared view', () => {
  it('needs an editor to share it, and others see it but only its owner and admins change it', async () => {
    const shared = { shared: true, workspace_id: 'team' }
    const refused = await create('vera', shared)
    expect(refused).toMatchObject({ status: 403, body: { code: 'auth.forbidden', required_role: 'editor' } })
    const { id, workspace_id } = (await create('edda', shared)).body.data
    const [seen] = (await as('vera', 'GET /api/views?page=runs&workspace=team')).body.data
    expect(seen).toMatchObject({ id, owner: 'edda', shared: true, workspace_id, can_edit: false })
    for (const user of ['vera', 'ed']) {
      expect((await as(user, `PATCH /api/views/${id}`, { name: 'x' })).body.code).toBe('auth.forbidden')
      expect((await as(user, `DELETE /api/views/${id}`)).status).toBe(403)
    }
    expect((await as('ada', `PATCH /api/views/${id}`, { query: 'status=ok' })).body.data).toMatchObject({
      query: 'status=ok',
      owner: 'edda',
      shared: true,
    })
    const unshared = await as('edda', `PATCH /api/views/${id}`, { shared: false })
    expect(unshared.body.data).toMatchObject({ shared: false, workspace_id: null })
    expect(await namesOf('vera')).toEqual([])
    expect(await auditOf(id)).toEqual(['edda update', 'ada update', 'edda create'])
    await as('edda', `PATCH /api/views/${id}`, { name: 'Only mine now' })
    const [private_, unsharing] = (await server.call(`GET /api/audit?resource_id=${id}`)).body.data
    expect([private_.summary, unsharing.summary]).toEqual([
      'Changed a private view',
      'Made the view Errors private',
    ])
    expect((await server.call(`GET /api/audit/${unsharing.id}`)).body.data.after).toEqual({ shared: false })
    await as('edda', `DELETE /api/views/${id}`)
  })

  it('becomes private when its workspace is deleted', async () => {
    await server.call('POST /api/workspaces', { body: { name: 'Short', slug: 'short' } })
    await create('edda', { name: 'Kept', shared: true, workspace_id: 'short' })
    expect(await namesOf('vera', '?q=kep')).toEqual(['Kept'])
    expect((await server.call('DELETE /api/workspaces/short')).status).toBe(200)
    expect(await namesOf('vera', '?q=kep')).toEqual([])
    expect((await as('edda', 'GET /api/views?q=kep')).body.data).toMatchObject([{ shared: false }])
  })

  it.each([
    ['without a workspace', { shared: true }, 'workspace_id'],
    ['with an unknown workspace', { shared: true, workspace_id: 'nowhere' }, 'workspace_id'],
    ['with a workspace but not shared', { workspace_id: 'team' }, 'workspace_id'],
    ['of an unknown page', { page: 'run' }, 'page'],
    ['without a name', { name: ' ' }, 'name'],
  ])('%s is refused', async (_case, body, path) => {
    const reply = await create('edda', body)
    expect(reply.status).toBe(422)
    expect(reply.body.errors[0].path).toBe(path)
  })
})

it('a list is sorted by name and filtered by page and words', async () => {
  await create('ed', { name: 'b slow' })
  await create('ed', { name: 'A slow', page: 'audit' })
  expect(await namesOf('ed', '?q=slow')).toEqual(['A slow', 'b slow'])
  expect(await namesOf('ed', '?q=slow&page=runs')).toEqual(['b slow'])
})
