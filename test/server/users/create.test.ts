import { describe, expect, it } from 'vitest'
import type { Scenario } from '../../support/scenario.ts'
import { add, ids, phrase, server, setUpService, watcher } from './users-support.ts'

setUpService()

const create = (name: string, body: object, rest: Partial<Scenario> & { status: number }): Scenario => ({
  name,
  call: 'POST /api/users',
  body: { username: 'edda', password: phrase, role: 'viewer', ...body },
  ...rest,
})
const created = (username: string): Partial<Scenario> & { status: number } => ({
  status: 201,
  reply: { data: { username } },
  forbidden: [phrase],
  audit: [`service-token create user ${username}`],
  frames: ['user', 'audit'],
})

describe('adding a user', () => {
  it.each<Scenario>([
    create(
      'works',
      {},
      {
        ...created('edda'),
        reply: {
          data: {
            username: 'edda',
            role: 'viewer',
            disabled: false,
            must_change_password: false,
            last_login_at: null,
          },
        },
      },
    ),
    create(
      'can create a disabled user who must change the password',
      { username: 'egil', disabled: true, must_change_password: true },
      {
        ...created('egil'),
        reply: { data: { disabled: true, must_change_password: true } },
      },
    ),
    create('trims the name', { username: '  Snorri Sturluson ' }, created('Snorri Sturluson')),
    create('accepts names in every script', { username: '渡辺 🦊' }, created('渡辺 🦊')),
    create('accepts a name of 64 characters', { username: 'n'.repeat(64) }, created('n'.repeat(64))),
    create(
      'accepts a password of 256 characters',
      { username: 'long', password: `${'ab7'.repeat(85)}x` },
      created('long'),
    ),
  ])('$name', (scenario) => watcher.run(scenario))

  const taken = { status: 409, reply: { code: 'user.username_taken' }, fields: ['username'] } as const
  const wrong = (field: string) =>
    ({ status: 422, reply: { code: 'request.invalid' }, fields: [field] }) as const

  it.each<Scenario>([
    create('a used name', {}, taken),
    create('a taken name in capitals', { username: 'EDDA' }, taken),
    create('a taken name in wide letters', { username: 'ｅｄｄａ' }, taken),
    create('a taken name with spaces around', { username: ' edda ' }, taken),
    create('an unknown role', { username: 'new', role: 'owner' }, wrong('role')),
    create('no role', { username: 'new', role: undefined }, wrong('role')),
    create('an empty name', { username: '   ' }, wrong('username')),
    create('a name of 65 characters', { username: 'n'.repeat(65) }, wrong('username')),
    create('a name with a line break', { username: 'a\nb' }, wrong('username')),
    create('the reserved name of the service', { username: 'Service-Token' }, wrong('username')),
    create('the reserved name of the system', { username: 'system' }, wrong('username')),
    create('a short password', { username: 'new', password: '1234567' }, wrong('password')),
    create('a long password', { username: 'new', password: 'ab7'.repeat(86) }, wrong('password')),
    create('a common password', { username: 'new', password: 'qwerty123' }, wrong('password')),
    create(
      'the default password, which is too short',
      { username: 'new', password: 'admin' },
      wrong('password'),
    ),
    create('the name as password', { username: 'new-person', password: 'New-Person' }, wrong('password')),
    create('a flag that is no boolean', { username: 'new', disabled: 'yes' }, wrong('disabled')),
    create('an unknown key', { username: 'new', admin: true }, wrong('admin')),
    create('an id', { username: 'new', id: 'x' }, wrong('id')),
    { ...create('broken JSON', {}, { status: 400 }), body: undefined, raw: '{' },
    { ...create('no body', {}, { status: 422 }), body: undefined },
  ])('is refused for $name', (scenario) => watcher.run(scenario))

  it('lists all invalid fields', async () => {
    const reply = await server.call('POST /api/users', { body: { username: '', password: 'x', role: 'y' } })
    expect(reply.body.errors.map((error: { path: string }) => error.path)).toEqual([
      'username',
      'password',
      'role',
    ])
  })

  it('gives a name to only one of two concurrent requests', async () => {
    const body = { username: 'contested', password: phrase, role: 'viewer' }
    const { result, audit } = await watcher.during(() =>
      Promise.all(Array.from({ length: 5 }, () => server.call('POST /api/users', { body }))),
    )
    expect(result.map((reply) => reply.status).toSorted()).toEqual([201, 409, 409, 409, 409])
    expect(audit).toEqual(['service-token create user contested'])
  })

  it('does not apply idempotency keys', async () => {
    const post = () =>
      server.call('POST /api/users', {
        body: { username: 'keyed', password: phrase, role: 'viewer' },
        headers: { 'idempotency-key': 'k1' },
      })
    expect([(await post()).status, (await post()).status]).toEqual([201, 409])
  })
})

describe('reading a user', () => {
  it.each<Scenario>([
    {
      name: 'by id',
      call: () => `GET /api/users/${ids['edda-r']}`,
      status: 200,
      reply: { data: { username: 'edda-r' } },
    },
    {
      name: 'with an unknown id is 404',
      call: 'GET /api/users/nobody',
      status: 404,
      reply: { code: 'not_found' },
    },
    {
      name: 'by name is 404',
      call: 'GET /api/users/edda-r',
      status: 404,
      reply: { code: 'not_found' },
    },
    {
      name: 'with an unknown parameter is 422',
      call: () => `GET /api/users/${ids['edda-r']}?x=1`,
      status: 422,
      fields: ['query.x'],
    },
  ])('$name', async (scenario) => {
    if (ids['edda-r'] === undefined) await add('edda-r')
    await watcher.run(scenario)
  })
})

describe('deleting a user', () => {
  it('works once, and frees the name', async () => {
    const id = await add('Short-lived')
    const scenario: Scenario = {
      name: 'deletes the account',
      call: `DELETE /api/users/${id}`,
      status: 200,
      reply: { ok: true },
      audit: ['service-token delete user Short-lived'],
      frames: ['user', 'audit'],
    }
    await watcher.run(scenario)
    await watcher.run({
      name: 'a second time is 404',
      call: `DELETE /api/users/${id}`,
      status: 404,
      reply: { code: 'not_found' },
    })
    expect(await add('short-LIVED')).not.toBe(id)
  })
})
