import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Scenario, type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { add, ids, phrase, server, setUpService, watcher } from './users-support.ts'

setUpService()

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
