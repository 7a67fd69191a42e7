import { describe, expect, it } from 'vitest'
import { server, setUpService } from '../file-service.ts'
import { connect } from '../live/live-support.ts'

let token: string
let secretId: string
const run = { provider: 'openai', model: 'gpt-4o', latency_ms: 1, status: 'ok' }

setUpService(async () => {
  for (const name of ['Own', 'Secret', 'Gone', 'Before'])
    expect((await server.call('POST /api/workspaces', { body: { name } })).status).toBe(201)
  await server.call('DELETE /api/workspaces/gone')
  await server.call('PATCH /api/workspaces/before', { body: { slug: 'after' } })
  const prompt = { key: 'greet', env: 'prod', content: 'Hi', workspace_id: 'secret' }
  expect((await server.call('POST /api/prompts', { body: prompt })).status).toBe(201)
  secretId = (await server.call('GET /api/workspaces/secret')).body.data.id
  const created = await server.call('POST /api/tokens', { body: { name: 'app', workspace: 'own' } })
  token = created.body.data.token
})

/**
 * Workspaces that the token must not see: an existing one by slug, id and an old slug, a deleted one, and an
 * unknown one.
 */
const others = (): string[] => [
  'secret',
  secretId,
  'before',
  'gone',
  'nowhere',
  '019aa5b2-0000-7000-8000-000000000000',
]
const invoke = async (what: string, body?: unknown) => {
  const reply = await server.call(what, { token, ...(body !== undefined && { body }) })
  const { request_id: _, instance: __, ...content } = reply.body
  return { status: reply.status, content }
}

describe('a token for one workspace cannot find out which others exist', () => {
  it.each([
    ['a fetch by key', (name: string) => invoke(`GET /api/sdk/prompts/greet?env=prod&workspace=${name}`)],
    [
      'a fetch of an unknown key',
      (name: string) => invoke(`GET /api/sdk/prompts/none?env=prod&workspace=${name}`),
    ],
    ['a fetch of all prompts', (name: string) => invoke(`GET /api/sdk/prompts?env=prod&workspace=${name}`)],
    ['a report of a run', (name: string) => invoke('POST /api/runs', { ...run, workspace_id: name })],
    [
      'a report of several runs',
      (name: string) =>
        invoke('POST /api/runs', [
          { ...run, workspace_id: 'own' },
          { ...run, workspace_id: name },
        ]),
    ],
    ['a read of the workspace', (name: string) => invoke(`GET /api/workspaces/${name}`)],
    ['a filter of a list', (name: string) => invoke(`GET /api/runs?workspace=${name}`)],
  ])('by %s', async (_, send) => {
    const replies = []
    for (const name of others()) replies.push(await send(name))
    for (const reply of replies) {
      expect(reply).toEqual(replies[0])
      expect(reply.status).toBe(403)
      expect(JSON.stringify(reply.content)).not.toMatch(/secret|gone|nowhere|before|after/i)
    }
  })

  it('by spans of tools', async () => {
    const now = `${Date.now()}000000`
    const time = { startTimeUnixNano: now, endTimeUnixNano: now }
    const attributes = [{ key: 'gen_ai.operation.name', value: { stringValue: 'execute_tool' } }]
    const span = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), name: 'tool', ...time, attributes }
    const send = (name: string) => {
      const workspace = { key: 'promptdeck.workspace', value: { stringValue: name } }
      const resource = { attributes: [workspace] }
      return invoke('POST /v1/traces', { resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] })
    }
    const replies = await Promise.all(others().map(send))
    expect(replies).toEqual(replies.map(() => replies[0]))
    expect(replies[0]?.content.partialSuccess.rejectedSpans).toBe('1')
  })

  it('and its refusals name what it can use', async () => {
    const { content } = await invoke('GET /api/audit')
    for (const name of ['prompts', 'runs', 'telemetry', 'live events', 'MCP', 'gateway'])
      expect(content.detail).toContain(name)
  })

  it('by the live connection', async () => {
    const closes = []
    for (const name of others()) {
      const url = `${server.url.replace('http', 'ws')}/ws?namespace=prod&workspace=${name}`
      const peer = await connect(url, { authorization: `Bearer ${token}` })
      closes.push(await peer.closed)
      expect(peer.frames).toEqual([])
    }
    expect(closes).toEqual(Array(6).fill({ code: 4401, reason: 'This token is for another workspace' }))
  })

  it('and reads its own workspace by all its slugs', async () => {
    await server.call('PATCH /api/workspaces/own', { body: { slug: 'renamed' } })
    for (const name of ['own', 'renamed'])
      expect((await server.call(`GET /api/sdk/prompts?env=prod&workspace=${name}`, { token })).status).toBe(
        200,
      )
  })
})

describe('parent_id of a reported run', () => {
  const report = (body: unknown, asToken?: string) =>
    server.call('POST /api/runs', { body, ...(asToken !== undefined && { token: asToken }) })
  const execution = async (workspace: string): Promise<string> => {
    const body = {
      key: `flow-${workspace}`,
      workspace_id: workspace,
      steps: [{ name: 'one', type: 'render', template: 'x' }],
    }
    const created = await server.call('POST /api/workflows', { body })
    expect(created.status, created.text).toBe(201)
    const ran = await server.call(`POST /api/workflows/${created.body.data.id}/run`, { body: {} })
    expect(ran.status, ran.text).toBe(200)
    return ran.body.id
  }

  it('is an execution or a run of the same workspace', async () => {
    const parent_id = await execution('own')
    const stored = await report({ ...run, workspace_id: 'own', parent_id }, token)
    expect(stored.status, stored.text).toBe(201)
    const child = await report({ ...run, workspace_id: 'own', parent_id: String(stored.body.data.id) }, token)
    expect(child.body.data.parent_id).toBe(String(stored.body.data.id))
  })

  it('of another workspace is refused like a missing one', async () => {
    const secret = await execution('secret')
    const foreign = (await report({ ...run, workspace_id: 'secret' })).body.data.id
    const before = (await server.call('GET /api/runs')).body.total
    const errors = []
    for (const parent_id of [secret, String(foreign), 'unknown', '999999999', '0', '-1', '1e3']) {
      const reply = await report({ ...run, workspace_id: 'own', parent_id }, token)
      expect(reply.status).toBe(422)
      errors.push(reply.body.errors)
    }
    for (const error of errors) expect(error).toEqual(errors[0])
    expect(errors[0]).toEqual([
      { path: 'parent_id', message: 'Run or execution not found in this workspace' },
    ])
    const batch = await report(
      [
        { ...run, workspace_id: 'own' },
        { ...run, workspace_id: 'own', parent_id: secret },
      ],
      token,
    )
    expect([batch.status, batch.body.errors[0].path]).toEqual([422, '1.parent_id'])
    expect((await server.call('GET /api/runs')).body.total).toBe(before)
  })

  it('is not checked again for a repeated report', async () => {
    const parent_id = await execution('default')
    const first = await report({ ...run, parent_id, client_run_id: 'once' })
    const again = await report({ ...run, parent_id: 'gone since', client_run_id: 'once' })
    expect([again.status, again.body.data.id]).toEqual([201, first.body.data.id])
  })
})

describe('metrics', () => {
  it('are not available to a limited token, regardless of its role', async () => {
    const created = await server.call('POST /api/tokens', {
      body: { name: 'x', role: 'admin', workspace: 'own' },
    })
    const reply = await server.call('GET /metrics', {
      token: created.body.data.token,
      headers: { 'x-forwarded-for': '203.0.113.7' },
    })
    expect(reply.status).toBe(403)
  })
})
