import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Scenario, type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

let server: TestServer
let watcher: Watcher
const ids: Record<string, string> = {}

beforeAll(async () => {
  server = await startTestServer()
  watcher = await watch(server)
})
afterAll(async () => {
  await watcher.close()
  await server.close()
})

const phrase = 'a long phrase of theirs'
const add = async (username: string, role = 'viewer', more: object = {}): Promise<string> => {
  const reply = await server.call('POST /api/users', { body: { username, password: phrase, role, ...more } })
  expect(reply.status, reply.text).toBe(201)
  ids[username] = reply.body.data.id
  return reply.body.data.id
}
const names = (reply: { body: { data: { username: string }[] } }) =>
  reply.body.data.map((user) => user.username)

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
    create('a name with a hidden character', { username: 'edda\u200b' }, wrong('username')),
    create('a name with a bidi override', { username: 'a\u202eb' }, wrong('username')),
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

describe('changing a user', () => {
  beforeAll(async () => {
    await add('Ref', 'viewer')
    await add('Other', 'viewer')
  })
  const patch = (name: string, body: unknown, rest: Partial<Scenario> & { status: number }): Scenario => ({
    name,
    call: () => `PATCH /api/users/${ids['Ref']}`,
    body,
    ...rest,
  })
  const changed = (action: string, reply: object, key = 'Ref') => ({
    status: 200,
    reply: { data: reply },
    audit: [`service-token ${action} user ${key}`],
    frames: ['user', 'audit'],
  })

  it.each<Scenario>([
    patch('a role is a role change', { role: 'editor' }, changed('role_change', { role: 'editor' })),
    patch(
      'the same role is not a change',
      { role: 'editor' },
      { status: 200, reply: { data: { role: 'editor' } } },
    ),
    patch('nothing is no change', {}, { status: 200, reply: { data: { username: 'Ref' } } }),
    patch(
      'PUT has the same effect',
      { role: 'viewer' },
      {
        ...changed('role_change', { role: 'viewer' }),
        call: () => `PUT /api/users/${ids['Ref']}`,
      },
    ),
    patch(
      'role and password together are one entry',
      { role: 'editor', password: 'a phrase from above' },
      {
        ...changed('role_change', { role: 'editor' }),
        forbidden: ['a phrase from above'],
      },
    ),
    patch(
      'a password',
      { password: 'another from above' },
      {
        ...changed('password_change', { username: 'Ref' }),
        forbidden: ['another from above'],
      },
    ),
    patch('disabling', { disabled: true }, changed('update', { disabled: true })),
    patch('enabling', { disabled: false }, changed('update', { disabled: false })),
    patch(
      'requiring a new password',
      { must_change_password: true },
      changed('update', { must_change_password: true }),
    ),
    patch('the case of the name', { username: 'REF' }, changed('update', { username: 'REF' }, 'REF')),
    patch('the name', { username: 'Ref' }, changed('update', { username: 'Ref' })),
    patch(
      'a used name',
      { username: 'OTHER' },
      {
        status: 409,
        reply: { code: 'user.username_taken' },
        fields: ['username'],
      },
    ),
    patch('a reserved name', { username: 'anonymous' }, { status: 422, fields: ['username'] }),
    patch(
      'a name equal to the new password',
      { username: 'of-the-same', password: 'of-the-same' },
      {
        status: 422,
        fields: ['password'],
      },
    ),
    patch('null for a role', { role: null }, { status: 422, fields: ['role'] }),
    patch('an unknown key', { colour: 'red' }, { status: 422, fields: ['colour'] }),
    patch('an unknown user', { role: 'editor' }, { call: 'PATCH /api/users/nobody', status: 404 }),
  ])('$name', (scenario) => watcher.run(scenario))

  it('records before and after, without secrets', async () => {
    const list = await server.call(`GET /api/audit?action=role_change&key=Ref&sort=created_at`)
    const details = await Promise.all(
      list.body.data.map(({ id }: { id: number }) => server.call(`GET /api/audit/${id}`)),
    )
    expect(details[0]?.body.data).toMatchObject({
      summary: 'Changed the role of Ref from viewer to editor',
      before: { role: 'viewer' },
      after: { role: 'editor' },
      actor_kind: 'service_token',
      resource_id: ids['Ref'],
    })
    expect(details[2]?.body.data.summary).toBe(
      'Changed the role of Ref from viewer to editor, reset the password of Ref',
    )
    const log = await server.call('GET /api/audit/export?format=jsonl')
    for (const secret of ['a phrase from above', 'another from above', phrase, '$2']) {
      expect(log.text).not.toContain(secret)
    }
  })

  it('updates updated_at only if something changed', async () => {
    const before = await server.call(`GET /api/users/${ids['Ref']}`)
    await server.call(`PATCH /api/users/${ids['Ref']}`, { body: { disabled: false } })
    expect((await server.call(`GET /api/users/${ids['Ref']}`)).body).toEqual(before.body)
    await server.call(`PATCH /api/users/${ids['Ref']}`, { body: { disabled: true } })
    const after = await server.call(`GET /api/users/${ids['Ref']}`)
    expect(after.body.data.updated_at > before.body.data.updated_at).toBe(true)
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

describe('the last active admin', () => {
  let isolated: TestServer
  let isolatedWatcher: Watcher
  let adminId: string
  beforeAll(async () => {
    isolated = await startTestServer()
    isolatedWatcher = await watch(isolated)
    adminId = (await isolated.call('GET /api/users')).body.data[0].id
  })
  afterAll(async () => {
    await isolatedWatcher.close()
    await isolated.close()
  })
  const lastAdmin = { status: 409, reply: { code: 'user.last_admin' } } as const

  it.each<Scenario>([
    { name: 'cannot be deleted', call: () => `DELETE /api/users/${adminId}`, ...lastAdmin },
    {
      name: 'cannot be demoted',
      call: () => `PATCH /api/users/${adminId}`,
      body: { role: 'editor' },
      ...lastAdmin,
    },
    {
      name: 'cannot be disabled',
      call: () => `PATCH /api/users/${adminId}`,
      body: { disabled: true },
      ...lastAdmin,
    },
    {
      name: 'cannot be demoted together with other changes',
      call: () => `PUT /api/users/${adminId}`,
      body: { role: 'viewer', password: 'a phrase of an admin' },
      ...lastAdmin,
    },
    {
      name: 'can be renamed',
      call: () => `PATCH /api/users/${adminId}`,
      body: { username: 'root' },
      status: 200,
      audit: ['service-token update user root'],
      frames: ['user', 'audit'],
    },
  ])('$name', (scenario) => isolatedWatcher.run(scenario))

  it('can still sign in with the old password', async () => {
    expect(await isolated.login('root', 'admin')).toBeTruthy()
  })

  it('is counted without disabled admins', async () => {
    const second = await isolated.signedIn('admin')
    await isolated.call(`PATCH /api/users/${second.id}`, { body: { disabled: true } })
    expect((await isolated.call(`DELETE /api/users/${adminId}`)).status).toBe(409)
    expect((await isolated.call(`DELETE /api/users/${second.id}`)).status).toBe(200)
  })

  it.each([
    ['demote each other', (id: string) => ['PATCH', id, { role: 'viewer' }] as const],
    ['disable each other', (id: string) => ['PATCH', id, { disabled: true }] as const],
    ['delete each other', (id: string) => ['DELETE', id, undefined] as const],
  ])('remains when admins %s concurrently', async (_, act) => {
    for (let round = 0; round < 3; round += 1) {
      const admins = await Promise.all(Array.from({ length: 3 }, () => isolated.signedIn('admin')))
      const targets = [...admins.map((admin) => admin.id), adminId]
      const replies = await Promise.all(
        targets.map((id, index) => {
          const [method, target, body] = act(id)
          // Each is changed by another admin, the last by the service token.
          const caller = admins[(index + 1) % admins.length]
          const call = { ...(body && { body }), ...(caller && index < 3 && { token: caller.token }) }
          return isolated.call(`${method} /api/users/${target}`, call)
        }),
      )
      const remaining = await isolated.call('GET /api/users?role=admin&disabled=false')
      expect(remaining.body.total).toBeGreaterThanOrEqual(1)
      for (const reply of replies) expect([200, 401, 403, 404, 409]).toContain(reply.status)
      const survivor = remaining.body.data[0].id
      if (survivor !== adminId) {
        const password = 'a phrase to come back'
        const replacement = await isolated.call('POST /api/users', {
          body: { username: `back-${round}-${Date.now()}`, password, role: 'admin' },
        })
        adminId = replacement.body.data.id
        await isolated.call(`DELETE /api/users/${survivor}`)
      }
    }
  })
})

describe('the list', () => {
  let full: TestServer
  beforeAll(async () => {
    full = await startTestServer()
    for (let n = 0; n < 25; n += 1) {
      const role = n % 5 === 0 ? 'editor' : 'viewer'
      const username = `user.${String.fromCharCode(97 + n)}-${n % 2 ? 'blue' : 'Red'}`
      await full.call('POST /api/users', {
        body: { username, password: phrase, role, disabled: n % 10 === 3 },
      })
    }
    await full.login('admin', 'admin')
  })
  afterAll(() => full.close())
  const get = (query: string) => full.call(`GET /api/users?${query}`)

  it.each([
    ['everybody', '', 26],
    ['a role', 'role=editor', 5],
    ['one of two roles', 'role=editor&role=admin', 6],
    ['disabled users', 'disabled=true', 3],
    ['active users', 'disabled=false', 23],
    ['the beginning of a name', 'q=use', 25],
    ['the beginning of a later word', 'q=blu', 12],
    ['the beginning of a word after a dot', 'q=c', 1],
    ['a word in another case', 'q=RED', 13],
    ['two words', 'q=user%20blue', 12],
    ['a word and a role', 'q=red&role=editor', 3],
    ['nobody', 'q=nobody', 0],
    ['a percent sign, which is not a pattern', 'q=%25', 0],
    ['the middle of a word, which does not match', 'q=lue', 0],
  ])('counts %s', async (_, query, total) => {
    const reply = await get(query)
    expect(reply.body.total).toBe(total)
    expect(reply.body.data).toHaveLength(total)
    expect(reply.body).not.toHaveProperty('total_capped')
  })

  it.each([
    ['username', 'admin'],
    ['-username', 'user.y-Red'],
    ['created_at', 'admin'],
    ['-created_at', 'user.y-Red'],
    ['-last_login_at', 'admin'],
  ])('sorts by %s', async (sort, first) => {
    expect(names(await get(`sort=${sort}`))[0]).toBe(first)
  })

  it.each(['username', '-username', 'created_at', '-created_at', 'last_login_at', '-last_login_at'])(
    'pages by cursor in the order of %s, each user once',
    async (sort) => {
      const all = names(await get(`sort=${sort}&limit=200`))
      const listed: string[] = []
      let cursor: string | null = ''
      for (let page = 0; cursor !== null && page < 20; page += 1) {
        const reply = await get(`sort=${sort}&limit=7${cursor && `&cursor=${cursor}`}`)
        expect(reply.body.total).toBe(26)
        listed.push(...names(reply))
        cursor = reply.body.next_cursor
      }
      expect(listed).toEqual(all)
    },
  )

  it('keeps its position while users are added before it', async () => {
    const first = await get('sort=username&limit=10')
    await full.call('POST /api/users', { body: { username: 'aaa', password: phrase, role: 'viewer' } })
    const second = await get(`sort=username&limit=10&cursor=${first.body.next_cursor}`)
    expect(names(second).some((name) => names(first).includes(name))).toBe(false)
  })

  it('accepts an offset', async () => {
    const all = names(await get('limit=200'))
    expect(names(await get('limit=5&offset=10'))).toEqual(all.slice(10, 15))
    expect(names(await get('limit=5&offset=10000'))).toEqual([])
  })

  it.each([
    ['limit=0', 'query.limit'],
    ['limit=201', 'query.limit'],
    ['limit=x', 'query.limit'],
    ['offset=10001', 'query.offset'],
    ['offset=-1', 'query.offset'],
    ['sort=password_hash', 'query.sort'],
    ['role=owner', 'query.role'],
    ['disabled=1', 'query.disabled'],
    ['q=%20', 'query.q'],
    ['page=2', 'query.page'],
    ['sort=username&sort=created_at', 'query.sort'],
    ['cursor=rubbish', 'query.cursor'],
    [`cursor=${Buffer.from('{"sort":"username"}').toString('base64url')}`, 'query.cursor'],
    [
      `cursor=${Buffer.from('{"sort":"username","filters":"","after":[1]}').toString('base64url')}`,
      'query.cursor',
    ],
    [
      `cursor=${Buffer.from('{"sort":"username","filters":"","after":["a"]}').toString('base64url')}&offset=1`,
      'query.offset',
    ],
  ])('refuses %s', async (query, path) => {
    const reply = await get(query)
    expect(reply.status).toBe(422)
    expect(reply.body.errors[0].path).toBe(path)
  })

  it('refuses a cursor of another order or other filters', async () => {
    const { next_cursor: cursor } = (await get('limit=2')).body
    expect((await get(`limit=3&cursor=${cursor}`)).status).toBe(200)
    for (const query of ['sort=-username', 'role=viewer', 'q=user']) {
      const reply = await get(`${query}&limit=2&cursor=${cursor}`)
      expect(reply.status).toBe(422)
      expect(reply.body.errors[0].path).toBe('query.cursor')
    }
  })

  it('is available to admins only', async () => {
    const viewer = await full.signedIn('viewer')
    const reply = await full.call('GET /api/users', { token: viewer.token })
    expect(reply.status).toBe(403)
    expect(reply.body).toMatchObject({ code: 'auth.forbidden', required_role: 'admin' })
  })
})
