import { beforeAll, describe, expect, it } from 'vitest'
import type { Scenario } from '../../../support/scenario.ts'
import { createMember } from '../../access/access-support.ts'
import { server, setUpService, watcher } from '../../watched-service.ts'
import { makePrompt } from '../prompts-support.ts'

setUpService()

describe('a protected environment', () => {
  const ids: Record<string, string> = {}
  let editor: string
  const asEditor = () => editor
  const path = (name: string, rest = '') => `/api/prompts/${ids[name]}${rest}`
  const needsAdmin = { status: 403, reply: { code: 'auth.forbidden', required_role: 'admin' } }
  beforeAll(async () => {
    editor = (await server.signedIn('editor', 'ed')).token
    await server.call('POST /api/workspaces', { body: { name: 'Safe', protected_envs: ['prod'] } })
    const make = async (name: string, body: object) => {
      ids[name] = (await makePrompt(server, { key: name, workspace_id: 'safe', content: 'x', ...body })).id
    }
    await make('served', { env: 'prod' })
    await make('dev', { env: 'dev' })
    await make('trashed', { env: 'prod' })
    await make('draft', { env: 'prod', draft: true })
    await make('away', { env: 'prod', workspace_id: 'default' })
    await server.call(`DELETE ${path('trashed')}`)
  })

  it.each<Scenario>([
    {
      name: 'an editor may not remove the protection',
      call: 'PATCH /api/workspaces/safe',
      token: asEditor,
      body: { protected_envs: [] },
      ...needsAdmin,
    },
    {
      name: 'an editor may send the current value',
      call: 'PATCH /api/workspaces/safe',
      token: asEditor,
      body: { protected_envs: ['prod'] },
      status: 200,
    },
    {
      name: 'an unknown environment is rejected',
      call: 'PATCH /api/workspaces/safe',
      body: { protected_envs: ['moon'] },
      status: 422,
    },
    {
      name: 'the draft may be edited',
      call: () => `PATCH ${path('served')}`,
      token: asEditor,
      body: { content: 'y' },
      status: 200,
      reply: { data: { protected: true, has_draft: true } },
      audit: ['ed update prompt served'],
      frames: ['prompt', 'audit'],
    },
    {
      name: 'an editor may not publish',
      call: () => `POST ${path('served', '/publish')}`,
      token: asEditor,
      ...needsAdmin,
    },
    {
      name: 'an editor may not roll back',
      call: () => `POST ${path('served', '/rollback')}`,
      token: asEditor,
      body: { version: 'v1' },
      ...needsAdmin,
    },
    {
      name: 'an editor may not delete',
      call: () => `DELETE ${path('served')}`,
      token: asEditor,
      ...needsAdmin,
    },
    {
      name: 'an editor may not restore',
      call: () => `POST ${path('trashed', '/restore')}`,
      token: asEditor,
      ...needsAdmin,
    },
    {
      name: 'an editor may not promote into it',
      call: () => `POST ${path('dev', '/promote')}`,
      token: asEditor,
      body: { env: 'prod' },
      ...needsAdmin,
    },
    {
      name: 'an editor may promote to another environment',
      call: () => `POST ${path('served', '/promote')}`,
      token: asEditor,
      body: { env: 'test' },
      status: 200,
      audit: ['ed promote prompt served'],
      frames: ['prompt', 'audit'],
    },
    {
      name: 'an editor may not move a prompt out',
      call: () => `PATCH ${path('served')}`,
      token: asEditor,
      body: { workspace_id: 'default' },
      ...needsAdmin,
    },
    {
      name: 'an editor may not move a prompt in',
      call: () => `PATCH ${path('away')}`,
      token: asEditor,
      body: { workspace_id: 'safe' },
      ...needsAdmin,
    },
    {
      name: 'an editor may not create a served prompt',
      call: 'POST /api/prompts',
      token: asEditor,
      body: { key: 'new', env: 'prod', workspace_id: 'safe', content: 'x' },
      ...needsAdmin,
    },
    {
      name: 'an editor may create a draft',
      call: 'POST /api/prompts',
      token: asEditor,
      body: { key: 'new', env: 'prod', workspace_id: 'safe', content: 'x', draft: true },
      status: 201,
      audit: ['ed create prompt new'],
      frames: ['prompt', 'audit'],
    },
    {
      name: 'an editor may delete what was never published',
      call: () => `DELETE ${path('draft')}`,
      token: asEditor,
      status: 200,
      audit: ['ed delete prompt draft'],
      frames: ['prompt', 'audit'],
    },
    {
      name: 'an admin may publish',
      call: () => `POST ${path('served', '/publish')}`,
      status: 200,
      reply: { data: { version: 'v2' } },
      audit: ['service-token publish prompt served'],
      frames: ['prompt', 'audit'],
    },
  ])('$name', (scenario) => watcher.run(scenario))

  it('an editor may not publish or roll back by the older form', async () => {
    for (const body of [{ id: ids['served'] }, { id: ids['served'], version: 'v1' }]) {
      const call = `POST /api/prompts/${'version' in body ? 'rollback' : 'publish'}`
      await watcher.run({ name: call, call, body, token: asEditor, ...needsAdmin })
    }
  })

  it('receives no served prompt of a deleted workspace, unless its role there is admin', async () => {
    await server.call('PATCH /api/workspaces/default', { body: { protected_envs: ['prod'] } })
    const team = (await server.call('POST /api/workspaces', { body: { name: 'Team' } })).body.data
    const { id } = await makePrompt(server, { key: 'team', workspace_id: team.id, env: 'prod', content: 'x' })
    const memberships = [
      { workspace_id: team.id, role: 'admin' as const },
      { workspace_id: 'default', role: 'editor' as const },
    ]
    const { token } = await createMember(server, 'lead', memberships)
    const remove = () => server.call(`DELETE /api/workspaces/${team.id}`, { token })
    expect((await remove()).body).toMatchObject({ status: needsAdmin.status, ...needsAdmin.reply })
    expect((await server.call('GET /api/sdk/prompts/team?env=prod')).status).toBe(404)
    await server.call(`DELETE /api/prompts/${id}`)
    expect((await remove()).status).toBe(200)
  })

  it('is named in errors that it causes, and in the impact', async () => {
    const refused = await server.call(`POST ${path('served', '/rollback')}`, {
      token: editor,
      body: { version: 'v1' },
    })
    expect(refused.body.detail).toContain('prod is protected in the workspace Safe')
    const { body } = await server.call(`GET ${path('served', '/impact')}`)
    expect(body.data).toMatchObject({ protected: true, required_role: 'admin' })
  })

  it('is part of the ETag of a read', async () => {
    const first = await server.call(`GET ${path('served')}`)
    const headers = { 'if-none-match': String(first.headers.get('etag')) }
    expect((await server.call(`GET ${path('served')}`, { headers })).status).toBe(304)
    await server.call('PATCH /api/workspaces/safe', { body: { protected_envs: [] } })
    const second = await server.call(`GET ${path('served')}`, { headers })
    expect([second.status, second.body.data.protected]).toEqual([200, false])
    await server.call('PATCH /api/workspaces/safe', { body: { protected_envs: ['prod'] } })
  })

  it('an import that would publish there is refused for each item', async () => {
    const files = [
      {
        name: 'a.json',
        content: JSON.stringify([
          { key: 'served', env: 'prod', content: 'z' },
          { key: 'i', env: 'dev', content: 'z' },
        ]),
      },
    ]
    const body = { files, workspace_id: 'safe', publish: true }
    const preview = await server.call('POST /api/prompts/import', {
      token: editor,
      body: { ...body, preview: true },
    })
    expect(preview.body.data).toMatchObject({ refused: 1, created: 1 })
    expect(preview.body.data.items[0].errors[0]).toMatchObject({
      path: 'env',
      message: expect.stringContaining('protected'),
    })
    expect((await server.call('POST /api/prompts/import', { token: editor, body })).status).toBe(422)
    expect((await server.call('POST /api/prompts/import', { body })).status).toBe(200)
  })
})
