import { beforeAll, describe, expect, it } from 'vitest'
import type { Scenario } from '../../support/scenario.ts'
import { as, server, setUpService, watcher } from '../service-with-roles.ts'
import { addWorkspaces } from './workspaces-support.ts'

setUpService()
beforeAll(() =>
  addWorkspaces([{ name: 'Red', slug: 'crimson', description: 'What Red runs' }, { name: 'Green' }]),
)

describe('changing', () => {
  const patch = (name: string, body: unknown, rest: Partial<Scenario> & { status: number }): Scenario => ({
    name,
    call: 'PATCH /api/workspaces/crimson',
    token: as('editor'),
    body,
    ...rest,
  })
  const changed = (reply: object, slug = 'crimson') => ({
    status: 200,
    reply: { data: reply },
    audit: [`editor update workspace ${slug}`],
    frames: ['workspace', 'audit'],
  })

  it.each<Scenario>([
    patch('the name', { name: 'Crimson' }, changed({ name: 'Crimson', slug: 'crimson' })),
    patch(
      'the description',
      { description: 'Red things' },
      changed({ description: 'Red things', name: 'Crimson' }),
    ),
    patch('null clears the description', { description: null }, changed({ description: '' })),
    patch(
      'PUT has the same effect',
      { description: 'Again' },
      {
        ...changed({ description: 'Again', name: 'Crimson' }),
        call: 'PUT /api/workspaces/crimson',
      },
    ),
    patch('nothing is no change', {}, { status: 200, reply: { data: { description: 'Again' } } }),
    patch('the same is no change', { name: 'Crimson', slug: 'crimson' }, { status: 200 }),
    patch('the slug', { slug: 'scarlet' }, changed({ slug: 'scarlet' }, 'scarlet')),
    patch('the old slug still identifies it', {}, { status: 200 }),
    patch(
      'the slug back to the previous one',
      { slug: 'crimson' },
      {
        ...changed({ slug: 'crimson' }),
        call: 'PATCH /api/workspaces/scarlet',
      },
    ),
    patch(
      'a used slug',
      { slug: 'green' },
      {
        status: 409,
        reply: { code: 'workspace.slug_taken' },
        fields: ['slug'],
      },
    ),
    patch('null for a name', { name: null }, { status: 422, fields: ['name'] }),
    patch('an unknown key', { colour: 'red' }, { status: 422, fields: ['colour'] }),
    patch('as a viewer', { name: 'x' }, { token: as('viewer'), status: 403 }),
    patch(
      'the name of the built-in one',
      { name: 'Home' },
      {
        ...changed({ id: 'default', slug: 'default', name: 'Home' }, 'default'),
        call: 'PATCH /api/workspaces/default',
      },
    ),
    patch(
      'the slug of the built-in one',
      { slug: 'home' },
      {
        call: 'PATCH /api/workspaces/default',
        status: 409,
        reply: { code: 'workspace.default_protected' },
      },
    ),
  ])('$name', (scenario) => watcher.run(scenario))

  it('records before and after in the audit log', async () => {
    const list = await server.call(
      'GET /api/audit?resource=workspace&action=update&key=crimson&sort=created_at',
    )
    const detail = await server.call(`GET /api/audit/${list.body.data[0].id}`)
    expect(detail.body.data).toMatchObject({
      summary: 'Renamed the workspace Red to Crimson',
      before: { name: 'Red' },
      after: { name: 'Crimson' },
      actor: 'editor',
      actor_kind: 'user',
    })
    expect(detail.body.data.before).not.toHaveProperty('slug')
  })
})

describe('deleting', () => {
  it.each<Scenario>([
    {
      name: 'the built-in one is rejected',
      call: 'DELETE /api/workspaces/default',
      status: 409,
      reply: { code: 'workspace.default_protected' },
    },
    {
      name: 'as an editor is rejected',
      call: 'DELETE /api/workspaces/green',
      token: as('editor'),
      status: 403,
      reply: { required_role: 'admin' },
    },
    {
      name: 'an empty one succeeds',
      call: 'DELETE /api/workspaces/green',
      token: as('admin'),
      status: 200,
      reply: { ok: true, moved: { prompts: 0, agents: 0, workflows: 0, renamed: [] } },
      audit: ['chief delete workspace green'],
      frames: ['workspace', 'audit'],
    },
    {
      name: 'a deleted one again',
      call: 'DELETE /api/workspaces/green',
      status: 404,
      reply: { code: 'not_found' },
    },
  ])('$name', (scenario) => watcher.run(scenario))

  it('frees the slug for an admin', async () => {
    const reply = await server.call('POST /api/workspaces', { body: { name: 'Green' } })
    expect(reply.body.data.slug).toBe('green')
  })
})
