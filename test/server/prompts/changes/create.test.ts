import { beforeAll, describe, expect, it } from 'vitest'
import type { Scenario } from '../../../support/scenario.ts'
import { fetchServed, makePrompt } from '../prompts-support.ts'
import { as, changedFrames, path, remember, server, setUpService, watcher } from './changes-support.ts'

setUpService()

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
