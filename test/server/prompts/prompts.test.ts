import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Scenario, type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { act, edit, fetchServed, makePrompt } from './prompts-support.ts'

let server: TestServer
let watcher: Watcher
const tokens: Record<string, string> = {}
const ids: Record<string, string> = {}

beforeAll(async () => {
  server = await startTestServer()
  for (const role of ['viewer', 'editor', 'admin'] as const)
    tokens[role] = (await server.signedIn(role, role === 'admin' ? 'chief' : role)).token
  await server.call('POST /api/workspaces', { body: { name: 'Blue' } })
  await server.call('POST /api/workspaces', { body: { name: 'Safe', protected_envs: ['prod'] } })
  watcher = await watch(server)
})
afterAll(async () => {
  await watcher.close()
  await server.close()
})

const as = (role: 'viewer' | 'editor' | 'admin') => () => tokens[role] ?? null
const changedFrames = ['prompt', 'audit']
const path = (name: string, rest = '') => `/api/prompts/${ids[name]}${rest}`
const remember = async (name: string, body: object) => {
  ids[name] = (await makePrompt(server, body)).id
}

describe('creating', () => {
  const create = (name: string, body: unknown, rest: Partial<Scenario> & { status: number }): Scenario => ({
    name,
    call: 'POST /api/prompts',
    token: as('editor'),
    body,
    ...rest,
  })
  const created = (key: string, data: object) => ({
    status: 201,
    reply: { data: { key, ...data } },
    audit: [`editor create prompt ${key}`],
    frames: changedFrames,
  })
  const wrong = (...fields: string[]) => ({ status: 422, reply: { code: 'request.invalid' }, fields })
  it.each<Scenario>([
    create(
      'like PromptOps scripts, which publishes v1',
      { key: 'greet', name: 'Greeting', content: 'Hello {{name}}', env: 'prod', model: 'gpt-4o' },
      created('greet', {
        name: 'Greeting',
        env: 'prod',
        version: 'v1',
        has_draft: false,
        workspace_id: 'default',
        folder: '',
        served: { version: 'v1', content: 'Hello {{name}}', model: 'gpt-4o' },
        created_by: 'editor',
        variables: [{ name: 'name', required: false, default: null, declared: false, used: true }],
      }),
    ),
    create(
      'in another environment',
      { key: 'greet', content: 'x', env: 'dev' },
      created('greet', { env: 'dev' }),
    ),
    create(
      'in another workspace',
      { key: 'greet', content: 'x', env: 'prod', workspace_id: 'blue' },
      created('greet', { version: 'v1' }),
    ),
    create(
      'as a draft, which may be empty',
      { key: 'a/b/c', draft: true },
      created('a/b/c', {
        env: 'dev',
        version: null,
        served: null,
        has_draft: true,
        folder: 'a/b',
        name: 'a/b/c',
      }),
    ),
    create(
      'with all fields',
      {
        key: 'full',
        content: '{{a}}',
        description: 'd',
        category: 'c',
        tags: 'x, y,x',
        variables: [{ name: 'a', required: true, type: 'number', default: 3, description: 'A' }, 'unused'],
      },
      created('full', {
        tags: ['x', 'y'],
        category: 'c',
        variables: [
          {
            name: 'a',
            required: true,
            default: 3,
            description: 'A',
            type: 'number',
            declared: true,
            used: true,
          },
          { name: 'unused', required: false, declared: true, used: false },
        ],
      }),
    ),
  ])('$name', (scenario) => watcher.run(scenario))

  it.each<Scenario>([
    create(
      'a used key',
      { key: 'greet', content: 'x', env: 'prod' },
      { status: 409, reply: { code: 'prompt.key_taken' }, fields: ['key'] },
    ),
    create('no key', { content: 'x' }, wrong('key')),
    create('a bad key', { key: 'a//b', content: 'x' }, wrong('key')),
    create('an unknown environment', { key: 'k', content: 'x', env: 'staging' }, wrong('env')),
    create(
      'an unknown workspace',
      { key: 'k', content: 'x', workspace_id: 'nowhere' },
      wrong('workspace_id'),
    ),
    create('nothing to publish', { key: 'k', draft: false }, wrong('content')),
    create('blank content', { key: 'k', content: ' \n' }, wrong('content')),
    create('content over 256 KiB', { key: 'k', content: 'x'.repeat(256 * 1024 + 1) }, wrong('content')),
    create('a NUL in content', { key: 'k', content: 'a\u0000b' }, wrong('content')),
    create(
      'a variable that names an inherited member',
      { key: 'k', content: '{{constructor}}' },
      wrong('content'),
    ),
    create('a variable that names the prototype', { key: 'k', content: '{{__proto__.x}}' }, wrong('content')),
    create(
      'a variable with a reserved name',
      { key: 'k', content: 'x', variables: [{ name: 'a.__proto__' }] },
      wrong('variables.0.name'),
    ),
    create(
      'a variable declared twice',
      { key: 'k', content: 'x', variables: ['a', 'a'] },
      wrong('variables.1.name'),
    ),
    create('an unknown key', { key: 'k', content: 'x', owner: 'me' }, wrong('owner')),
    create(
      'a viewer',
      { key: 'k', content: 'x' },
      { token: as('viewer'), status: 403, reply: { required_role: 'editor' } },
    ),
    create('a caller without a token', { key: 'k', content: 'x' }, { token: () => null, status: 401 }),
  ])('is refused for $name', (scenario) => watcher.run(scenario))
})

describe('the life of a prompt', () => {
  beforeAll(() => remember('life', { key: 'life', content: 'one {{a}}', env: 'prod', model: 'm1' }))
  const served = async () => (await fetchServed(server, 'life')).body

  const step = (name: string, call: () => string, rest: Omit<Scenario, 'name' | 'call'>): Scenario => ({
    name,
    call,
    token: as('editor'),
    ...rest,
  })
  const change = (action: string) => ({ audit: [`editor ${action} prompt life`], frames: changedFrames })
  it.each<Scenario & { readonly serves: string }>([
    {
      ...step('an edit changes the draft only', () => `PATCH ${path('life')}`, {
        body: { content: 'two {{b}}', model: null },
        status: 200,
        reply: {
          data: {
            content: 'two {{b}}',
            model: null,
            has_draft: true,
            version: 'v1',
            served: { content: 'one {{a}}', model: 'm1' },
          },
        },
        ...change('update'),
      }),
      serves: 'one {{a}}',
    },
    {
      ...step('the same edit again changes nothing', () => `PUT ${path('life')}`, {
        body: { content: 'two {{b}}', key: 'life', env: 'prod' },
        status: 200,
      }),
      serves: 'one {{a}}',
    },
    {
      ...step('publish', () => `POST ${path('life', '/publish')}`, {
        body: { message: 'Two' },
        status: 200,
        reply: { data: { version: 'v2', has_draft: false } },
        ...change('publish'),
      }),
      serves: 'two {{b}}',
    },
    {
      ...step('publish without a draft', () => `POST ${path('life', '/publish')}`, {
        status: 409,
        reply: { code: 'prompt.nothing_to_publish' },
      }),
      serves: 'two {{b}}',
    },
    {
      ...step('a new name applies immediately', () => `PATCH ${path('life')}`, {
        body: { name: 'Life' },
        status: 200,
        reply: { data: { name: 'Life', has_draft: false, version: 'v2' } },
        ...change('update'),
      }),
      serves: 'two {{b}}',
    },
    {
      ...step('a draft before the rollback', () => `PATCH ${path('life')}`, {
        body: { content: 'three' },
        status: 200,
        ...change('update'),
      }),
      serves: 'two {{b}}',
    },
    {
      ...step('roll back to a missing version', () => `POST ${path('life', '/rollback')}`, {
        body: { version: 'v9' },
        status: 404,
        reply: { code: 'not_found' },
      }),
      serves: 'two {{b}}',
    },
    {
      ...step('roll back to what is served', () => `POST ${path('life', '/rollback')}`, {
        body: { version: 'v2' },
        status: 409,
      }),
      serves: 'two {{b}}',
    },
    {
      ...step('rollback adds a version and sets the draft', () => `POST ${path('life', '/rollback')}`, {
        body: { version: 'v1', message: 'Back' },
        status: 200,
        reply: { data: { version: 'v3', has_draft: false, content: 'one {{a}}' } },
        ...change('rollback'),
      }),
      serves: 'one {{a}}',
    },
    {
      ...step('promote to itself', () => `POST ${path('life', '/promote')}`, {
        body: { env: 'prod' },
        status: 422,
        fields: ['env'],
      }),
      serves: 'one {{a}}',
    },
    {
      ...step('promote to an unknown environment', () => `POST ${path('life', '/promote')}`, {
        body: { env: 'moon' },
        status: 422,
        fields: ['env'],
      }),
      serves: 'one {{a}}',
    },
    {
      ...step('promote creates the prompt in the target', () => `POST ${path('life', '/promote')}`, {
        body: { env: 'test' },
        status: 200,
        reply: { data: { env: 'test', version: 'v1', has_draft: false, name: 'Life' } },
        ...change('promote'),
      }),
      serves: 'one {{a}}',
    },
    {
      ...step('promote the version that is already there', () => `POST ${path('life', '/promote')}`, {
        body: { env: 'test' },
        status: 409,
        reply: { code: 'prompt.nothing_to_publish' },
      }),
      serves: 'one {{a}}',
    },
    {
      ...step('a key never changes', () => `PATCH ${path('life')}`, {
        body: { key: 'death' },
        status: 422,
        fields: ['key'],
      }),
      serves: 'one {{a}}',
    },
    {
      ...step('an environment never changes', () => `PATCH ${path('life')}`, {
        body: { env: 'dev' },
        status: 422,
        fields: ['env'],
      }),
      serves: 'one {{a}}',
    },
    {
      ...step('publish an unknown prompt by the older form', () => 'POST /api/prompts/publish', {
        body: { id: 'nothing' },
        status: 404,
      }),
      serves: 'one {{a}}',
    },
  ])('$name', async (scenario) => {
    await watcher.run(scenario)
    expect((await served()).content).toBe(scenario.serves)
  })

  it('is published and rolled back by the older forms, too', async () => {
    const { life = '' } = ids
    await edit(server, life, { content: 'four' })
    const published = await server.call('POST /api/prompts/publish', { body: { id: life } })
    expect([published.status, published.body.data.version]).toEqual([200, 'v4'])
    const back = await server.call('POST /api/prompts/rollback', { body: { id: life, version: 2 } })
    expect([back.status, back.body.data.version, back.body.data.content]).toEqual([200, 'v5', 'two {{b}}'])
  })

  it('has complete and unchanged versions, with author, message and origin', async () => {
    const { body } = await server.call(`GET ${path('life', '/versions')}`)
    const shown = body.data.map((version: Record<string, unknown>) => [
      version['version'],
      version['kind'],
      version['content'],
      version['message'],
      version['from'],
      version['served'],
    ])
    expect(shown).toEqual([
      ['v5', 'rollback', 'two {{b}}', '', { env: 'prod', version: 'v2' }, true],
      ['v4', 'publish', 'four', '', null, false],
      ['v3', 'rollback', 'one {{a}}', 'Back', { env: 'prod', version: 'v1' }, false],
      ['v2', 'publish', 'two {{b}}', 'Two', null, false],
      ['v1', 'create', 'one {{a}}', '', null, false],
    ])
    const second = await server.call(`GET ${path('life', '/versions/v2')}`)
    expect(second.body.data).toMatchObject({ content: 'two {{b}}', model: null, created_by: 'editor' })
    expect((await server.call(`GET ${path('life', '/versions/v6')}`)).status).toBe(404)
    expect((await server.call(`GET ${path('life', '/versions/x')}`)).status).toBe(404)
    const page = await server.call(`GET ${path('life', '/versions?limit=2&fields=summary')}`)
    expect(page.body.data[0]).not.toHaveProperty('content')
    expect(page.body).toMatchObject({ total: 5, next_cursor: expect.any(String) })
  })

  it('is compared by line and word', async () => {
    await edit(server, ids['life'] ?? '', { content: 'two {{c}}\nmore', model: 'm2' })
    const { body } = await server.call(`GET ${path('life', '/diff?from=v2&to=draft')}`)
    expect(body.data).toMatchObject({
      from: 'v2',
      to: 'draft',
      identical: false,
      added_lines: 2,
      removed_lines: 1,
      model: { from: null, to: 'm2' },
      variables: { added: ['c'], removed: ['b'], changed: [] },
    })
    expect(
      body.data.lines.map((line: Record<string, unknown>) => [
        line['kind'],
        line['from_line'],
        line['to_line'],
        line['text'],
      ]),
    ).toEqual([
      ['removed', 1, null, 'two {{b}}'],
      ['added', null, 1, 'two {{c}}'],
      ['added', null, 2, 'more'],
    ])
    const joined = body.data.lines[1].parts.map((part: { text: string }) => part.text).join('')
    expect(joined).toBe('two {{c}}')
    expect((await server.call(`GET ${path('life', '/diff?from=v9')}`)).body.errors[0].path).toBe('query.from')
    expect((await server.call(`GET ${path('life', '/diff?from=x')}`)).status).toBe(422)
    const first = (await server.call(`GET ${path('life', '/diff?from=none&to=v1')}`)).body.data
    expect([first.from, first.to, first.removed_lines]).toEqual(['none', 'v1', 0])
    expect(first.lines.map((line: { kind: string }) => line.kind)).toEqual(['added'])
    expect((await server.call(`GET ${path('life', '/diff?from=v1&to=none')}`)).body.errors[0].path).toBe(
      'query.to',
    )
    expect((await server.call(`GET ${path('life', '/diff?from=v1&to=v3')}`)).body.data.identical).toBe(true)
  })

  it('records before and after of a publish once, long text as its digest', async () => {
    const long = 'y'.repeat(5000)
    await edit(server, ids['life'] ?? '', { content: long })
    await act(server, ids['life'] ?? '', 'publish', { message: 'Long' })
    const list = await server.call('GET /api/audit?action=publish&key=life&limit=1')
    const { body } = await server.call(`GET /api/audit/${list.body.data[0].id}`)
    expect(body.data).toMatchObject({
      summary: 'Published life v6 in prod: Long',
      workspace_id: 'default',
      before: { version: 'v5', content: 'two {{b}}' },
      after: { version: 'v6', content: { sha256: expect.any(String), length: 5000 }, message: 'Long' },
    })
    expect(body.data.before).not.toHaveProperty('name')
  })
})

describe('concurrent changes of a prompt', () => {
  beforeAll(() => remember('shared', { key: 'shared', content: 'x', env: 'dev' }))
  it('the second user to save gets a conflict', async () => {
    const first = await server.call(`GET ${path('shared')}`)
    const etag = String(first.headers.get('etag'))
    expect(first.body.data.etag).toBe(etag)
    expect((await server.call(`GET ${path('shared')}`, { headers: { 'if-none-match': etag } })).status).toBe(
      304,
    )
    const save = (content: string, ifMatch: string) =>
      server.call(`PATCH ${path('shared')}`, {
        body: { content },
        headers: { 'if-match': ifMatch },
        token: tokens['editor'] ?? null,
      })
    const saved = await save('mine', etag)
    expect([saved.status, saved.headers.get('etag')]).toEqual([200, saved.body.data.etag])
    expect(saved.headers.get('etag')).not.toBe(etag)
    const { result, audit } = await watcher.during(() => save('yours', etag))
    expect([result.status, result.body.code, result.body.errors[0].path]).toEqual([
      412,
      'precondition.failed',
      'If-Match',
    ])
    expect(result.body.detail).toContain('editor')
    expect(audit).toEqual([])
    expect((await save('again', '*')).status).toBe(200)
    expect(
      (await save('and again', `"x", ${(await server.call(`GET ${path('shared')}`)).headers.get('etag')}`))
        .status,
    ).toBe(200)
    for (const what of ['publish', 'promote', 'rollback'])
      expect(
        (
          await server.call(`POST ${path('shared', `/${what}`)}`, {
            body: what === 'promote' ? { env: 'test' } : what === 'rollback' ? { version: 'v1' } : {},
            headers: { 'if-match': etag },
          })
        ).status,
      ).toBe(412)
    expect((await server.call(`DELETE ${path('shared')}`, { headers: { 'if-match': etag } })).status).toBe(
      412,
    )
  })
  it('ten concurrent creations of the same key create one', async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, () =>
        server.call('POST /api/prompts', { body: { key: 'race', content: 'x' } }),
      ),
    )
    expect(replies.map((reply) => reply.status).toSorted()).toEqual([201, ...Array(9).fill(409)])
  })
  it('ten concurrent publishes create one version', async () => {
    const { id } = await makePrompt(server, { key: 'race-2', content: 'x' })
    await edit(server, id, { content: 'y' })
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => server.call(`POST /api/prompts/${id}/publish`)),
    )
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
    expect((await server.call(`GET /api/prompts/${id}`)).body.data.version).toBe('v2')
  })
  it('a repetition with one Idempotency-Key has no second effect and returns the ETag', async () => {
    const { id } = await makePrompt(server, { key: 'once', content: 'x' })
    await edit(server, id, { content: 'y' })
    const publish = () =>
      server.call(`POST /api/prompts/${id}/publish`, {
        body: { message: 'm' },
        headers: { 'idempotency-key': 'p1' },
      })
    const [first, second] = [await publish(), await publish()]
    expect([second.status, second.text, second.headers.get('etag')]).toEqual([
      200,
      first.text,
      first.headers.get('etag'),
    ])
    expect(first.body.data.version).toBe('v2')
  })
})

describe('the trash', () => {
  beforeAll(() => remember('gone', { key: 'gone', content: 'x', env: 'prod' }))
  it.each<Scenario>([
    {
      name: 'a viewer may not delete',
      call: () => `DELETE ${path('gone')}`,
      token: as('viewer'),
      status: 403,
    },
    {
      name: 'delete',
      call: () => `DELETE ${path('gone')}`,
      token: as('editor'),
      status: 200,
      reply: { ok: true },
      audit: ['editor delete prompt gone'],
      frames: changedFrames,
    },
    {
      name: 'reading it is 404',
      call: () => `GET ${path('gone')}`,
      status: 404,
      reply: { code: 'not_found' },
    },
    { name: 'fetching it as an app is 404', call: 'GET /api/sdk/prompts/gone?env=prod', status: 404 },
    { name: 'publishing it is 404', call: () => `POST ${path('gone', '/publish')}`, status: 404 },
    { name: 'deleting it again is 404', call: () => `DELETE ${path('gone')}`, status: 404 },
    {
      name: 'restore',
      call: () => `POST ${path('gone', '/restore')}`,
      token: as('editor'),
      status: 200,
      reply: { data: { key: 'gone', version: 'v1', deleted_at: null } },
      audit: ['editor restore prompt gone'],
      frames: changedFrames,
    },
    {
      name: 'restoring a prompt that is not deleted is 404',
      call: () => `POST ${path('gone', '/restore')}`,
      status: 404,
    },
  ])('$name', (scenario) => watcher.run(scenario))

  it('shows what can be restored and until when, and a used key prevents a restore', async () => {
    await server.call(`DELETE ${path('gone')}`)
    const { body } = await server.call('GET /api/prompts?include=deleted&q=gone')
    const [row] = body.data
    expect(Date.parse(row.restorable_until) - Date.parse(row.deleted_at)).toBe(30 * 24 * 3_600_000)
    await makePrompt(server, { key: 'gone', content: 'another', env: 'prod' })
    const reply = await server.call(`POST ${path('gone', '/restore')}`)
    expect([reply.status, reply.body.code]).toEqual([409, 'prompt.key_taken'])
    expect((await fetchServed(server, 'gone')).body.content).toBe('another')
  })
})

describe('copies and moves', () => {
  beforeAll(() =>
    remember('copied', { key: 'c/copied', content: 'x {{a}}', env: 'prod', tags: ['t'], model: 'm' }),
  )
  it('a copy is a draft, beside the original or in the requested place', async () => {
    const copy = (body: object) => server.call(`POST ${path('copied', '/duplicate')}`, { body })
    const first = await copy({})
    expect(first.status).toBe(201)
    expect(first.body.data).toMatchObject({
      key: 'c/copied-copy',
      env: 'prod',
      version: null,
      content: 'x {{a}}',
      model: 'm',
      tags: ['t'],
    })
    expect((await copy({})).body.data.key).toBe('c/copied-copy-2')
    expect((await copy({ env: 'dev' })).body.data).toMatchObject({
      key: 'c/copied',
      env: 'dev',
      served: null,
    })
    expect((await copy({ workspace_id: 'blue', name: 'Mine' })).body.data).toMatchObject({
      key: 'c/copied',
      name: 'Mine',
    })
    expect((await copy({ env: 'dev' })).body.code).toBe('prompt.key_taken')
  })
  it('a move is one change, and a used key prevents it', async () => {
    await watcher.run({
      name: '',
      call: `PATCH ${path('copied')}`,
      body: { workspace_id: 'blue' },
      status: 409,
      fields: ['workspace_id'],
    })
    const { id } = await makePrompt(server, { key: 'mover', content: 'x', env: 'prod' })
    await watcher.run({
      name: '',
      call: `PATCH /api/prompts/${id}`,
      body: { workspace_id: 'blue' },
      status: 200,
      audit: ['service-token update prompt mover'],
      frames: changedFrames,
    })
    expect((await fetchServed(server, 'mover')).status).toBe(404)
    expect((await fetchServed(server, 'mover', 'env=prod&workspace=blue')).body.version).toBe('v1')
  })
})
