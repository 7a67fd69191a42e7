import { beforeAll, describe, expect, it } from 'vitest'
import type { Scenario } from '../../../support/scenario.ts'
import { act, edit, fetchServed } from '../prompts-support.ts'
import { as, changedFrames, ids, path, remember, server, setUpService, watcher } from './changes-support.ts'

setUpService()

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
