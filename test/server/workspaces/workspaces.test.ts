import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { slugOf } from '../../../server/lib/text/slugs.ts'
import { type Scenario, type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

let server: TestServer
let watcher: Watcher
const tokens: Record<string, string> = {}

beforeAll(async () => {
  server = await startTestServer()
  for (const role of ['viewer', 'editor', 'admin'] as const) {
    tokens[role] = (await server.signedIn(role, role === 'admin' ? 'chief' : role)).token
  }
  watcher = await watch(server)
})
afterAll(async () => {
  await watcher.close()
  await server.close()
})

const as = (role: 'viewer' | 'editor' | 'admin') => () => tokens[role] ?? null
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

describe('reading', () => {
  it('accepts an id or a slug', async () => {
    const bySlug = await server.call('GET /api/workspaces/crimson', { token: tokens['viewer'] ?? '' })
    const byId = await server.call(`GET /api/workspaces/${bySlug.body.data.id}`)
    expect(byId.body).toEqual(bySlug.body)
    expect(byId.body.data.name).toBe('Red')
  })

  it.each<Scenario>([
    {
      name: 'returns the built-in one',
      call: 'GET /api/workspaces/default',
      token: as('viewer'),
      status: 200,
      reply: { data: { id: 'default', slug: 'default' } },
    },
    {
      name: 'returns 404 for an unknown one',
      call: 'GET /api/workspaces/nope',
      status: 404,
      reply: { code: 'not_found' },
    },
  ])('$name', (scenario) => watcher.run(scenario))

  it.each([
    ['the beginning of a name', 'q=tea', ['Team Blue', 'Team Blue', 'team  blue!']],
    ['the beginning of a later word, in another case', 'q=BLU', ['Team Blue', 'Team Blue', 'team  blue!']],
    ['a slug', 'q=crim', ['Red']],
    ['two words', 'q=blue%20team', ['Team Blue', 'Team Blue', 'team  blue!']],
    ['a letter with an accent', 'q=%C3%A9qu', ['Équipe']],
    ['nothing', 'q=zzz', []],
  ])('finds %s', async (_, query, expected) => {
    if (query.includes('%C3')) await server.call('POST /api/workspaces', { body: { name: 'Équipe' } })
    const reply = await server.call(`GET /api/workspaces?${query}`)
    expect(reply.body.data.map((row: { name: string }) => row.name).toSorted()).toEqual(expected)
    expect(reply.body.total).toBe(expected.length)
  })

  it.each(['name', '-name', 'created_at', '-created_at'])(
    'pages by cursor in the order of %s',
    async (sort) => {
      const slugs = (body: { data: { slug: string }[] }) => body.data.map((row) => row.slug)
      const all = slugs((await server.call(`GET /api/workspaces?sort=${sort}&limit=200`)).body)
      const listed: string[] = []
      let cursor: string | null = ''
      for (let page = 0; cursor !== null && page < 20; page += 1) {
        const path: string = `GET /api/workspaces?sort=${sort}&limit=4${cursor && `&cursor=${cursor}`}`
        const { body } = await server.call(path)
        listed.push(...slugs(body))
        cursor = body.next_cursor
      }
      expect(listed).toEqual(all)
      expect(new Set(listed).size).toBe(listed.length)
    },
  )

  it('sorts names without regard to case', async () => {
    const reply = await server.call('GET /api/workspaces?limit=200')
    const names = reply.body.data.map((row: { name: string }) => row.name.normalize('NFKC').toLowerCase())
    expect(names).toEqual([...names].sort())
  })

  it('pages through names of any length by cursor', async () => {
    for (let i = 0; i < 2; i += 1)
      await server.call('POST /api/workspaces', { body: { name: '渡'.repeat(128) } })
    const first = await server.call('GET /api/workspaces?sort=-name&limit=1&q=%E6%B8%A1')
    expect(first.body.next_cursor).toBeTruthy()
    const second = await server.call(
      `GET /api/workspaces?sort=-name&limit=1&q=%E6%B8%A1&cursor=${first.body.next_cursor}`,
    )
    expect(second.status).toBe(200)
    expect(second.body.data[0].id).not.toBe(first.body.data[0].id)
  })
})

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
