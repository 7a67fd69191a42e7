import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Scenario } from '../../../support/scenario.ts'
import { serviceToken, startTestServer, type TestServer } from '../../../support/service.ts'
import { edda, login, noToken, server, setUpService, watcher } from './login-support.ts'

setUpService()

const invalid = { code: 'request.invalid' }

describe('an invalid request is refused before a user is looked up', () => {
  it.each<[name: string, body: unknown, ...fields: string[]]>([
    ['an empty body', {}],
    ['a list', []],
    ['null', null],
    ['no password', { username: 'edda' }, 'password'],
    ['an empty password', { username: 'edda', password: '' }, 'password'],
    ['an empty username', { username: '', password: 'x' }, 'username'],
    ['a number as password', { username: 'edda', password: 12345678 }, 'password'],
    ['a very long password', { username: 'edda', password: 'x'.repeat(1025) }, 'password'],
    ['an unknown key', { username: 'edda', password: 'x', remember: true }, 'remember'],
    ['both forms together', { username: 'edda', password: 'x', token: 'y' }],
    ['an empty token', { token: '' }, 'username', 'password'],
  ])('%s', (name, body, ...fields) =>
    watcher.run(login(name, body, { status: 422, reply: invalid, ...(fields.length > 0 && { fields }) })),
  )

  it.each<Scenario>([
    login('broken JSON', undefined, {
      raw: '{"username":',
      status: 400,
      reply: { code: 'request.malformed' },
    }),
    login('another media type', undefined, {
      raw: 'username=edda',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      status: 415,
      reply: { code: 'request.unsupported_media_type' },
    }),
    login(
      'a query',
      { username: 'edda', password: 'x' },
      {
        call: 'POST /api/login?username=edda',
        status: 422,
        fields: ['query.username'],
      },
    ),
    { name: 'another method', call: 'GET /api/login', status: 405, reply: { code: 'method_not_allowed' } },
  ])('$name', (scenario) => watcher.run(scenario))
})

describe('signing in with a token', () => {
  it.each<Scenario>([
    login(
      'accepts the service token without creating a session',
      { token: serviceToken },
      {
        status: 200,
        reply: {
          ok: true,
          token: serviceToken,
          token_type: 'Bearer',
          expires_at: null,
          username: 'service-token',
          role: 'admin',
          must_change_password: false,
        },
        audit: ['service-token login session service-token'],
        frames: ['session', 'audit'],
      },
    ),
    login(
      'rejects another token',
      { token: `${serviceToken}x` },
      {
        status: 401,
        reply: { code: 'auth.invalid_token' },
        forbidden: [serviceToken],
        audit: ['anonymous login_failed session'],
        frames: ['session', 'audit'],
      },
    ),
    login(
      'rejects the built-in token while another is set',
      { token: 'promptdeck-dev-token' },
      {
        status: 401,
        reply: { code: 'auth.invalid_token' },
      },
    ),
  ])('$name', (scenario) => watcher.run(scenario))

  it('refuses a session token, which needs no exchange', async () => {
    const reply = await server.call('POST /api/login', { token: null, body: { token: edda.token } })
    expect(reply.status).toBe(401)
  })
})

describe('GET /api/me', () => {
  it.each<Scenario>([
    {
      name: 'a user',
      call: 'GET /api/me',
      token: () => edda.token,
      status: 200,
      reply: {
        username: 'Edda',
        role: 'editor',
        auth: 'session',
        must_change_password: false,
        defaults: { password: true, token: false },
      },
      forbidden: ['users.manage', 'settings.manage'],
    },
    {
      name: 'the service token',
      call: 'GET /api/me',
      status: 200,
      reply: { id: null, username: 'service-token', role: 'admin', auth: 'service_token', expires_at: null },
    },
    { name: 'no token', call: 'GET /api/me', token: noToken, status: 401, reply: { code: 'auth.required' } },
    {
      name: 'an unknown token',
      call: 'GET /api/me',
      token: () => 'rubbish',
      status: 401,
      reply: { code: 'auth.invalid_token' },
      forbidden: ['rubbish'],
    },
    {
      name: 'another authentication scheme',
      call: 'GET /api/me',
      token: noToken,
      headers: { authorization: 'Basic YWRtaW46YWRtaW4=' },
      status: 401,
      reply: { code: 'auth.required' },
    },
  ])('$name', (scenario) => watcher.run(scenario))

  it('lists the permissions of the role', async () => {
    const permissions = async (token: string) =>
      (await server.call('GET /api/me', { token })).body.permissions
    const viewer = await server.signedIn('viewer')
    expect(await permissions(viewer.token)).toEqual([
      'resources.read',
      'resources.run',
      'workspaces.read',
      'runs.read',
      'runs.report',
      'alerts.read',
      'views.save',
      'audit.read',
      'clients.read',
    ])
    expect(await permissions(edda.token)).toContain('workspaces.create')
    expect(await permissions(edda.token)).not.toContain('workspaces.delete')
    expect(await permissions(serviceToken)).toContain('backups.manage')
  })
})

describe('without configuration', () => {
  let plain: TestServer
  beforeAll(async () => {
    plain = await startTestServer({ env: { SERVICE_TOKEN: '' } })
  })
  afterAll(() => plain.close())

  it('reports the use of defaults until both are changed', async () => {
    const me = async (token: string) => (await plain.call('GET /api/me', { token })).body
    const admin = await plain.login('admin', 'admin')
    expect((await me(admin)).defaults).toEqual({ password: true, token: true })
    expect((await me('promptdeck-dev-token')).auth).toBe('service_token')
    // Flagged, not blocked.
    expect((await plain.call('GET /api/users', { token: admin })).status).toBe(200)

    const changed = await plain.call('PUT /api/me/password', {
      token: admin,
      body: { current_password: 'admin', new_password: 'a long phrase of my own' },
    })
    expect(changed.status).toBe(200)
    expect(await me(admin)).toMatchObject({
      must_change_password: false,
      defaults: { password: false, token: true },
    })
    const created = await plain.call('POST /api/settings/service-token', { token: admin })
    expect((await me(admin)).defaults).toEqual({ password: false, token: false })
    expect((await plain.call('GET /api/me', { token: 'promptdeck-dev-token' })).status).toBe(401)

    await plain.restart()
    expect((await me(created.body.data.token)).username).toBe('service-token')
    expect((await me(admin)).defaults).toEqual({ password: false, token: false })
    expect(
      (await plain.call('POST /api/login', { token: null, body: { username: 'admin', password: 'admin' } }))
        .status,
    ).toBe(401)
  })
})
