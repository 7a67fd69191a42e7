import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { connect, type Peer } from '../live/live-support.ts'

let server: TestServer
const tokens: Record<string, string> = {}
const peers: Peer[] = []
let number = 0

beforeAll(async () => {
  server = await startTestServer()
  for (const role of ['viewer', 'editor', 'admin'] as const)
    tokens[role] = (await server.signedIn(role, `the-${role}`)).token
})
afterAll(async () => {
  for (const peer of peers) {
    peer.socket.close()
    await peer.closed
  }
  await server.close()
})

const callAs = (role: 'viewer' | 'editor' | 'admin', what: string, body?: unknown, headers = {}) =>
  server.call(what, { token: tokens[role] ?? null, headers, ...(body !== undefined && { body }) })
const servedContent = async (workspace: string, key = 'greet', env = 'prod') => {
  const reply = await server.call(`GET /api/sdk/prompts/${key}?env=${env}&workspace=${workspace}`)
  return reply.status === 200 ? reply.body.content : reply.status
}
const connectApp = async (workspace: string): Promise<Peer> => {
  const url = `${server.url.replace('http', 'ws')}/ws?namespace=prod&workspace=${workspace}`
  const peer = await connect(url, { authorization: `Bearer ${tokens['viewer']}` })
  peers.push(peer)
  expect((await peer.next()).type).toBe('hello')
  return peer
}

/** Creates a workspace with a prompt that is served in prod. */
async function workspace(options: { isProtected?: boolean } = {}): Promise<{ id: string; slug: string }> {
  number += 1
  const slug = `team-${number}`
  const body = { name: slug, slug, ...(options.isProtected === true && { protected_envs: ['prod'] }) }
  const created = await callAs('admin', 'POST /api/workspaces', body)
  expect(created.status).toBe(201)
  const prompt = { key: 'greet', env: 'prod', content: `the prompt of ${slug}`, workspace_id: slug }
  expect((await callAs('admin', 'POST /api/prompts', prompt)).status).toBe(201)
  return { id: created.body.data.id, slug }
}
async function renamedWorkspace(
  options: { isProtected?: boolean } = {},
): Promise<{ id: string; old: string; slug: string }> {
  const { id, slug: old } = await workspace(options)
  const slug = `${old}-renamed`
  expect((await callAs('admin', `PATCH /api/workspaces/${old}`, { slug })).status).toBe(200)
  return { id, old, slug }
}

describe('a protected environment cannot be taken over by its slug', () => {
  it('an editor may not change the slug; nothing is audited, and apps are served the same', async () => {
    const { id, slug } = await workspace({ isProtected: true })
    const before = (await server.call('GET /api/audit?limit=1')).body.data[0].id
    const refused = await callAs('editor', `PATCH /api/workspaces/${slug}`, { slug: `${slug}-aside` })
    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject({ code: 'auth.forbidden', required_role: 'admin' })
    expect(refused.body.detail).toContain(
      'has protected environments (prod). Changing its slug requires the role admin',
    )
    expect((await server.call('GET /api/audit?limit=1')).body.data[0].id).toBe(before)
    expect((await server.call(`GET /api/workspaces/${id}`)).body.data.slug).toBe(slug)
    expect(await servedContent(slug)).toBe(`the prompt of ${slug}`)
  })

  it('an editor may make other changes, and an admin may change the slug', async () => {
    const { slug } = await workspace({ isProtected: true })
    expect((await callAs('editor', `PATCH /api/workspaces/${slug}`, { description: 'x', slug })).status).toBe(
      200,
    )
    expect((await callAs('admin', `PATCH /api/workspaces/${slug}`, { slug: `${slug}-new` })).status).toBe(200)
  })

  it('the old slug is reserved: against creating, renaming, importing, promoting and a repeated request', async () => {
    const { old, slug } = await renamedWorkspace({ isProtected: true })
    const taken = await callAs('editor', 'POST /api/workspaces', { name: 'Mine', slug: old })
    expect(taken.status).toBe(409)
    expect(taken.body).toMatchObject({ code: 'workspace.slug_taken', errors: [{ path: 'slug' }] })
    expect(taken.body.detail).toContain('is a former slug of the workspace')
    expect((await callAs('admin', 'POST /api/workspaces', { name: 'Mine', slug: old })).status).toBe(409)
    const mine = await callAs('editor', 'POST /api/workspaces', { name: `Mine ${old}` })
    expect((await callAs('editor', `PATCH /api/workspaces/${mine.body.data.id}`, { slug: old })).status).toBe(
      409,
    )

    const prompt = { key: 'greet', env: 'prod', content: 'taken over', workspace_id: old }
    expect((await callAs('editor', 'POST /api/prompts', { ...prompt, key: 'other' })).status).toBe(403)
    const dev = await callAs(
      'editor',
      'POST /api/prompts',
      { ...prompt, env: 'dev' },
      { 'idempotency-key': `d-${old}` },
    )
    expect(dev.status).toBe(201)
    expect(
      (await callAs('editor', `POST /api/prompts/${dev.body.data.id}/promote`, { env: 'prod' })).status,
    ).toBe(403)
    const again = await callAs(
      'editor',
      'POST /api/prompts',
      { ...prompt, env: 'dev' },
      { 'idempotency-key': `d-${old}` },
    )
    expect(again.text).toBe(dev.text)
    const file = {
      name: 'greet.json',
      content: JSON.stringify([{ key: 'greet', env: 'prod', content: 'taken over' }]),
    }
    const importBody = { workspace_id: old, publish: true, existing: 'update', files: [file] }
    const imported = await callAs('editor', 'POST /api/prompts/import', importBody)
    expect(imported.status).toBe(422)
    expect(imported.body.detail).toContain('The environment prod is protected in the workspace')
    for (const name of [old, slug]) expect(await servedContent(name)).toBe(`the prompt of ${old}`)
  })

  it('a name that matches an old slug gets another slug', async () => {
    const { old } = await renamedWorkspace()
    const created = await callAs('editor', 'POST /api/workspaces', { name: old })
    expect(created.body.data.slug).toBe(`${old}-2`)
  })
})

describe('an old slug refers to its workspace', () => {
  it('in paths, bodies, filters, SDK fetches and statistics', async () => {
    const { id, old, slug } = await renamedWorkspace()
    expect((await server.call(`GET /api/workspaces/${old}`)).body.data).toMatchObject({ id, slug })
    expect(await servedContent(old)).toBe(`the prompt of ${old}`)
    const run = { provider: 'p', model: 'm', latency_ms: 1, status: 'ok', workspace_id: old }
    expect((await server.call('POST /api/runs', { body: run })).body.data.workspace_id).toBe(id)
    const agent = { key: 'helper', provider: 'mock', model: 'm', content: 'x', workspace_id: old }
    expect((await callAs('editor', 'POST /api/agents', agent)).status).toBe(201)
    for (const list of ['prompts', 'runs', 'agents', 'audit']) {
      const [byOld, byNew] = await Promise.all(
        [old, slug].map((name) => server.call(`GET /api/${list}?workspace=${name}`)),
      )
      expect(byOld?.body.total, list).toBeGreaterThan(0)
      expect(byOld?.body.total, list).toBe(byNew?.body.total)
    }
    expect((await server.call(`GET /api/runs/stats?workspace=${old}`)).body.data.total).toBe(1)
    expect((await server.call(`GET /api/prompts/export?workspace=${old}`)).text).toContain(
      `the prompt of ${old}`,
    )
  })

  it('on the live connection, before and after, listed with the new one', async () => {
    const { id, slug: old } = await workspace()
    const early = await connectApp(old)
    const slug = `${old}-live`
    expect((await callAs('editor', `PATCH /api/workspaces/${old}`, { slug })).status).toBe(200)
    const late = await connectApp(old)
    const list = await server.call(`GET /api/prompts?workspace=${slug}`)
    const prompt = `/api/prompts/${list.body.data[0].id}`
    expect((await callAs('editor', `PATCH ${prompt}`, { content: 'second' })).status).toBe(200)
    expect((await callAs('editor', `POST ${prompt}/publish`, {})).status).toBe(200)
    for (const peer of [early, late])
      expect(await peer.next()).toMatchObject({ type: 'prompt.published', workspace_id: id, version: 'v2' })
    for (const name of [old, slug])
      expect((await server.call(`GET /api/clients?workspace=${name}`)).body.total).toBe(2)
  })

  it('after several changes, a return to an earlier one, and a restart', async () => {
    const { id, old, slug } = await renamedWorkspace()
    const third = `${old}-third`
    expect((await callAs('editor', `PATCH /api/workspaces/${slug}`, { slug: third })).status).toBe(200)
    expect((await callAs('editor', `PATCH /api/workspaces/${third}`, { slug: old })).status).toBe(200)
    for (const name of [old, slug, third])
      expect((await server.call(`GET /api/workspaces/${name}`)).body.data.id).toBe(id)
  })
})

describe('the slugs of a deleted workspace', () => {
  it('are 404, and only an admin may use them again', async () => {
    const { old, slug } = await renamedWorkspace()
    expect((await callAs('admin', `DELETE /api/workspaces/${slug}`)).status).toBe(200)
    for (const name of [old, slug]) {
      expect((await server.call(`GET /api/workspaces/${name}`)).status).toBe(404)
      expect(await servedContent(name)).toBe(404)
      const refused = await callAs('editor', 'POST /api/workspaces', { name: 'Again', slug: name })
      expect(refused.status).toBe(403)
      expect(refused.body).toMatchObject({ code: 'auth.forbidden', required_role: 'admin' })
      expect(refused.body.detail).toContain(`The slug ${name} belonged to a deleted workspace`)
    }
    const other = await workspace()
    expect((await callAs('editor', `PATCH /api/workspaces/${other.slug}`, { slug })).status).toBe(403)
    expect((await callAs('editor', 'POST /api/workspaces', { name: slug })).body.data.slug).toBe(`${slug}-2`)
    const reused = await callAs('admin', 'POST /api/workspaces', { name: 'Again', slug })
    expect(reused.status).toBe(201)
    expect((await server.call(`GET /api/workspaces/${slug}`)).body.data.id).toBe(reused.body.data.id)
    expect(await servedContent(slug)).toBe(404)
  })

  it('a deleted prompt that moved to default cannot be restored by an editor if that is protected', async () => {
    const { id, slug } = await workspace()
    const prompts = await server.call(`GET /api/prompts?workspace=${slug}`)
    const prompt = prompts.body.data[0].id
    expect((await callAs('editor', `DELETE /api/prompts/${prompt}`)).status).toBe(200)
    expect((await callAs('admin', `DELETE /api/workspaces/${id}`)).status).toBe(200)
    await callAs('admin', 'PATCH /api/workspaces/default', { protected_envs: ['prod'] })
    expect((await callAs('editor', `POST /api/prompts/${prompt}/restore`)).status).toBe(403)
    await callAs('admin', 'PATCH /api/workspaces/default', { protected_envs: [] })
  })
})
