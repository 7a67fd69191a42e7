import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { movableClock, type Scenario, type Watcher, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { connect } from '../live/live-support.ts'

const day = 24 * 3_600_000
const time = movableClock()
let server: TestServer
let watcher: Watcher
beforeAll(async () => {
  server = await startTestServer({ substitutes: { clock: time.clock } })
  watcher = await watch(server)
  await server.call('POST /api/workspaces', { body: { name: 'Team Blue' } })
  for (const [workspace_id, env] of [
    ['default', 'prod'],
    ['default', 'dev'],
    ['team-blue', 'prod'],
  ]) {
    const body = { key: 'greet', env, content: 'Hi', workspace_id }
    expect((await server.call('POST /api/prompts', { body })).status).toBe(201)
  }
})
afterAll(async () => {
  await watcher.close()
  await server.close()
})

async function createToken(body: object): Promise<{ id: string; token: string }> {
  const reply = await server.call('POST /api/tokens', { body })
  expect(reply.status).toBe(201)
  return reply.body.data
}
const status = async (what: string, token: string, body?: unknown) =>
  (await server.call(what, { token, ...(body !== undefined && { body }) })).status
const run = { provider: 'openai', model: 'gpt-4o', latency_ms: 1, status: 'ok' }
const socketUrl = (query: string) => `${server.url.replace('http', 'ws')}/ws?${query}`

describe('an API token', () => {
  it('is shown once, stored as a hash, and acts with its role under its own name', async () => {
    const { result, audit, frames } = await watcher.during(() => createToken({ name: 'ci', role: 'editor' }))
    expect(result.token).toMatch(/^pd_api_[\w-]{43}$/)
    expect(audit).toEqual(['service-token create token ci'])
    expect(frames).toContain('token')

    const me = await server.call('GET /api/me', { token: result.token })
    expect(me.body).toMatchObject({ id: result.id, username: 'ci', role: 'editor', auth: 'api_token' })
    const list = await server.call('GET /api/tokens?q=ci')
    expect(list.body.data).toEqual([
      {
        id: result.id,
        name: 'ci',
        role: 'editor',
        access: 'all',
        memberships: [],
        hint: result.token.slice(-4),
        workspace: null,
        namespaces: null,
        gateway: false,
        pass_through_key: false,
        expires_at: expect.any(String),
        last_used_at: expect.any(String),
        created_by: 'service-token',
        created_by_id: null,
        binding: 'service',
        owner: null,
        effective_role: 'editor',
        effective_memberships: null,
        ended: null,
        created_at: expect.any(String),
      },
    ])
    const audited = await server.call('GET /api/audit?resource=token&limit=1')
    const detail = await server.call(`GET /api/audit/${audited.body.data[0].id}`)
    expect(list.text + detail.text).not.toContain(result.token)

    const workspace = { name: 'Made by a token' }
    const change = await watcher.during(() =>
      server.call('POST /api/workspaces', { token: result.token, body: workspace }),
    )
    expect(change.result.status).toBe(201)
    expect(change.audit).toEqual(['ci create workspace made-by-a-token'])
    expect(await status('GET /api/users', result.token)).toBe(403)
    expect(
      await status('PUT /api/me/password', result.token, { current_password: 'a', new_password: 'b' }),
    ).toBe(403)
  })

  it('signs in like the service token, and is returned', async () => {
    const { token } = await createToken({ name: 'script' })
    const reply = await server.call('POST /api/login', { token: null, body: { token } })
    expect(reply.body).toMatchObject({
      ok: true,
      token,
      username: 'script',
      role: 'viewer',
      expires_at: expect.any(String),
    })
  })

  it('ends on expiry, with its sockets', async () => {
    const expires_at = new Date(time.clock.now().getTime() + day).toISOString()
    const { token } = await createToken({ name: 'short-lived', expires_at })
    const peer = await connect(socketUrl('namespace=prod'), { authorization: `Bearer ${token}` })
    expect(await status('GET /api/me', token)).toBe(200)
    time.pass(day)
    expect(await status('GET /api/me', token)).toBe(401)
    expect((await peer.closed).code).toBe(4401)
  })

  it('is revoked immediately, including sockets', async () => {
    const { id, token } = await createToken({ name: 'leaked' })
    const other = await createToken({ name: 'kept' })
    const peer = await connect(socketUrl('namespace=prod'), { authorization: `Bearer ${token}` })
    const otherPeer = await connect(socketUrl('namespace=prod'), { authorization: `Bearer ${other.token}` })
    const { audit } = await watcher.during(() => server.call(`DELETE /api/tokens/${id}`))
    expect(audit).toEqual(['service-token revoke token leaked'])
    expect((await peer.closed).code).toBe(4401)
    expect(await status('GET /api/me', token)).toBe(401)
    expect(await status('GET /api/me', other.token)).toBe(200)
    expect(otherPeer.socket.readyState).toBe(otherPeer.socket.OPEN)
    otherPeer.socket.close()
    await otherPeer.closed
  })

  it('survives a restart with its last use', async () => {
    const { token } = await createToken({ name: 'durable' })
    await status('GET /api/me', token)
    const before = (await server.call('GET /api/tokens?q=durable')).body.data
    await watcher.close()
    await server.restart()
    watcher = await watch(server)
    expect((await server.call('GET /api/tokens?q=durable')).body.data).toEqual(before)
    expect(await status('GET /api/me', token)).toBe(200)
  })
})

describe('a limited API token', () => {
  it('reaches only what an app needs in its workspace and environment', async () => {
    const { token } = await createToken({ name: 'app', workspace: 'default', namespaces: ['prod'] })
    expect(await status('GET /api/me', token)).toBe(200)
    expect(await status('GET /api/sdk/prompts/greet?env=prod', token)).toBe(200)
    expect(await status('GET /api/sdk/prompts?env=prod', token)).toBe(200)
    expect(await status('POST /api/runs', token, run)).toBe(201)

    expect(await status('GET /api/sdk/prompts/greet?env=dev', token)).toBe(403)
    expect(await status('GET /api/sdk/prompts?env=dev', token)).toBe(403)
    expect(await status('GET /api/sdk/prompts/greet?env=prod&workspace=team-blue', token)).toBe(403)
    for (const route of ['/api/runs', '/api/prompts', '/api/clients', '/api/audit', '/api/workspaces']) {
      expect(await status(`GET ${route}`, token)).toBe(403)
    }
  })

  it('reports runs of its workspace only, all or nothing', async () => {
    const { token } = await createToken({ name: 'reporter', workspace: 'team-blue' })
    const before = (await server.call('GET /api/runs?workspace=team-blue')).body.total
    const mixed = [
      { ...run, workspace_id: 'team-blue' },
      { ...run, workspace_id: 'default' },
    ]
    expect(await status('POST /api/runs', token, mixed)).toBe(403)
    expect((await server.call('GET /api/runs?workspace=team-blue')).body.total).toBe(before)
    expect(await status('POST /api/runs', token, mixed[0])).toBe(201)
  })

  it.each([
    ['namespace=dev', 'This token is for prod only'],
    ['namespace=*', 'This token is for prod only'],
    ['namespace=prod&workspace=team-blue', 'This token is for another workspace'],
  ])('cannot open a live connection with %s', async (query, reason) => {
    const { token } = await createToken({ name: 'listener', workspace: 'default', namespaces: ['prod'] })
    const peer = await connect(socketUrl(query), { authorization: `Bearer ${token}` })
    expect(await peer.closed).toEqual({ code: 4401, reason })
    expect(peer.frames).toEqual([])
  })

  it('opens a live connection for its workspace and environment', async () => {
    const { token } = await createToken({ name: 'listener', workspace: 'default', namespaces: ['prod'] })
    const peer = await connect(socketUrl('namespace=prod'), { authorization: `Bearer ${token}` })
    expect((await peer.next()).type).toBe('hello')
    peer.socket.close()
    await peer.closed
  })
})

const invalidRequests: readonly Scenario[] = [
  { name: 'no name', call: 'POST /api/tokens', body: {}, status: 422, fields: ['name'] },
  {
    name: 'an unknown role',
    call: 'POST /api/tokens',
    body: { name: 'x', role: 'root' },
    status: 422,
    fields: ['role'],
  },
  {
    name: 'an unknown workspace',
    call: 'POST /api/tokens',
    body: { name: 'x', workspace: 'nowhere' },
    status: 422,
    fields: ['workspace'],
  },
  {
    name: 'an empty list of namespaces',
    call: 'POST /api/tokens',
    body: { name: 'x', namespaces: [] },
    status: 422,
    fields: ['namespaces'],
  },
  {
    name: 'an expiry in the past',
    call: 'POST /api/tokens',
    body: { name: 'x', expires_at: '2020-01-01T00:00:00Z' },
    status: 422,
    fields: ['expires_at'],
  },
  {
    name: 'an unknown token',
    call: 'DELETE /api/tokens/none',
    status: 404,
    reply: { code: 'not_found' },
  },
]

describe('an invalid request changes nothing', () => {
  it.each(invalidRequests.map((scenario) => [scenario.name, scenario] as const))('%s', (_, scenario) =>
    watcher.run(scenario),
  )
})
