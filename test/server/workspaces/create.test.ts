import { describe, expect, it } from 'vitest'
import { slugOf } from '../../../server/lib/text/slugs.ts'
import type { Scenario } from '../../support/scenario.ts'
import { as, server, setUpService, watcher } from '../service-with-roles.ts'

setUpService()

const create = (name: string, body: unknown, rest: Partial<Scenario> & { status: number }): Scenario => ({
  name,
  call: 'POST /api/workspaces',
  token: as('editor'),
  body,
  ...rest,
})
const created = (slug: string, more: object = {}) => ({
  status: 201,
  reply: { data: { slug, ...more } },
  audit: [`editor create workspace ${slug}`],
  frames: ['workspace', 'audit'],
})

describe('a slug made from a name', () => {
  it.each([
    ['Team Blue', 'team-blue'],
    ['  Équipe — Blåbær  №1 ', 'equipe-blabaer-no1'],
    ['Straße & Łódź', 'strasse-lodz'],
    ["Edda's team", 'eddas-team'],
    ['ＷＩＤＥ', 'wide'],
    ['İstanbul', 'istanbul'],
    ['a_b.c/d', 'a-b-c-d'],
    ['---', 'workspace'],
    ['渡辺', 'workspace'],
    ['🦊', 'workspace'],
    ['x'.repeat(128), 'x'.repeat(64)],
    [`${'x'.repeat(63)} y`, 'x'.repeat(63)],
    ['019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b12', 'workspace-019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b12'],
  ])('%s → %s', (name, slug) => {
    expect(slugOf(name)).toBe(slug)
    expect(slug).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
  })
})

describe('creating a workspace', () => {
  it.each<Scenario>([
    create(
      'requires only a name',
      { name: 'Team Blue' },
      created('team-blue', {
        name: 'Team Blue',
        description: '',
        prompt_count: 0,
        agent_count: 0,
        workflow_count: 0,
      }),
    ),
    create(
      'adds a number to a derived slug that is used',
      { name: 'Team Blue' },
      created('team-blue-2', { name: 'Team Blue' }),
    ),
    create('adds the next number', { name: 'team  blue!' }, created('team-blue-3')),
    create(
      'accepts a slug',
      { name: 'Red', slug: 'crimson', description: 'What Red runs' },
      created('crimson', {
        description: 'What Red runs',
      }),
    ),
    create(
      'accepts null for no description',
      { name: 'Green', description: null },
      created('green', { description: '' }),
    ),
    create('never uses the slug of the built-in one', { name: 'Default' }, created('default-2')),
    create('trims the name', { name: '  Grey  ' }, created('grey', { name: 'Grey' })),
    create(
      'derives a slug from a name without letters',
      { name: '🦊' },
      created('workspace', { name: '🦊' }),
    ),
  ])('$name', (scenario) => watcher.run(scenario))

  const wrong = (field: string) => ({ status: 422, reply: { code: 'request.invalid' }, fields: [field] })
  it.each<Scenario>([
    create(
      'a used slug',
      { name: 'Red', slug: 'crimson' },
      {
        status: 409,
        reply: { code: 'workspace.slug_taken' },
        fields: ['slug'],
      },
    ),
    create('the built-in slug', { name: 'Red', slug: 'default' }, { status: 409, fields: ['slug'] }),
    create('a slug like an id', { name: 'Red', slug: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b12' }, wrong('slug')),
    create('a slug in capitals', { name: 'Red', slug: 'Crimson' }, wrong('slug')),
    create('a slug with two hyphens', { name: 'Red', slug: 'a--b' }, wrong('slug')),
    create('a slug that ends in a hyphen', { name: 'Red', slug: 'a-' }, wrong('slug')),
    create('a slug of a space', { name: 'Red', slug: ' ' }, { status: 422 }),
    create('no name', {}, wrong('name')),
    create('an empty name', { name: '  ' }, wrong('name')),
    create('a long name', { name: 'x'.repeat(129) }, wrong('name')),
    create('a long description', { name: 'x', description: 'x'.repeat(2001) }, wrong('description')),
    create('an unknown key', { name: 'x', owner: 'edda' }, wrong('owner')),
    create(
      'a viewer',
      { name: 'x' },
      {
        token: as('viewer'),
        status: 403,
        reply: { code: 'auth.forbidden', required_role: 'editor' },
      },
    ),
    create('a caller without a token', { name: 'x' }, { token: () => null, status: 401 }),
  ])('is refused for $name', (scenario) => watcher.run(scenario))

  it('gives ten concurrent creations ten slugs', async () => {
    const { result, audit } = await watcher.during(() =>
      Promise.all(
        Array.from({ length: 10 }, () => server.call('POST /api/workspaces', { body: { name: 'Storm' } })),
      ),
    )
    const slugs = result.map((reply) => reply.body.data.slug)
    expect(new Set(slugs)).toEqual(
      new Set(['storm', ...Array.from({ length: 9 }, (_, i) => `storm-${i + 2}`)]),
    )
    expect(audit).toHaveLength(10)
  })

  it('keeps a numbered slug within 64 characters', async () => {
    const body = { name: 'l'.repeat(100) }
    await server.call('POST /api/workspaces', { body })
    const second = await server.call('POST /api/workspaces', { body })
    expect(second.body.data.slug).toBe(`${'l'.repeat(62)}-2`)
  })

  it('with an Idempotency-Key takes effect once', async () => {
    const post = (name: string) =>
      server.call('POST /api/workspaces', { body: { name }, headers: { 'idempotency-key': 'once' } })
    const { result, audit } = await watcher.during(async () => [
      await post('Once'),
      await post('Once'),
      await post('Other'),
    ])
    expect(result.map((reply) => reply.status)).toEqual([201, 201, 409])
    expect(result[1]?.body).toEqual(result[0]?.body)
    expect(result[2]?.body.code).toBe('idempotency.mismatch')
    expect(audit).toEqual(['service-token create workspace once'])
  })
})
