import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemContext } from '../../../server/lib/context.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import { day, minimal, noon, openRunLog } from './runs-support.ts'

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()

describe('sessions over HTTP', () => {
  let server: TestServer
  let other: string
  beforeAll(async () => {
    server = await startTestServer()
    await server.call('PATCH /api/settings', { body: { capture: 'full' } })
    other = (await server.call('POST /api/workspaces', { body: { name: 'Other' } })).body.data.id
    const inChat = { ...minimal, session_id: 'chat 1' }
    const body = [
      { ...inChat, created_at: ago(50), app: 'shop', end_user: 'ada', total_tokens: 10, cost_usd: 0.5 },
      // Reported out of order.
      { ...inChat, created_at: ago(90), app: 'web', total_tokens: 5, input: 'First', output: 'Answer' },
      {
        ...inChat,
        created_at: ago(20),
        status: 'error',
        error: 'overloaded',
        total_tokens: 1,
        cost_usd: 0.25,
      },
      { ...inChat, created_at: ago(10), workspace_id: 'other' },
      { ...minimal, session_id: 'later', created_at: ago(5), end_user: 'bob', hash_end_user: true },
      minimal,
    ]
    expect((await server.call('POST /api/runs', { body })).status).toBe(201)
  })
  afterAll(() => server.close())

  test('are listed with their figures, the latest activity first', async () => {
    const { body } = await server.call('GET /api/sessions')
    expect(body).toMatchObject({ total: 3, next_cursor: null })
    expect(body.data.map(({ id, workspace_id }: Record<string, string>) => [id, workspace_id])).toEqual([
      ['later', 'default'],
      ['chat 1', other],
      ['chat 1', 'default'],
    ])
    expect(body.data[2]).toMatchObject({
      run_count: 3,
      error_count: 1,
      apps: ['shop', 'web'],
      end_user: 'ada',
      total_tokens: 16,
      cost_usd: 0.75,
    })
    expect(body.data[0]).toMatchObject({
      apps: [],
      total_tokens: null,
      cost_usd: null,
      end_user: expect.stringMatching(/^#/),
    })
    expect(Date.parse(body.data[2].last_run_at) - Date.parse(body.data[2].first_run_at)).toBeGreaterThan(
      60_000,
    )
  })

  test('are paged by cursor, and filtered by workspace, end user and time', async () => {
    const ids: string[] = []
    let cursor = ''
    do {
      const { body } = await server.call(`GET /api/sessions?limit=1${cursor && `&cursor=${cursor}`}`)
      ids.push(...body.data.map(({ id, workspace_id }: Record<string, string>) => `${id}@${workspace_id}`))
      cursor = body.next_cursor ?? ''
    } while (cursor !== '')
    expect(ids).toEqual(['later@default', `chat 1@${other}`, 'chat 1@default'])
    const found = async (query: string) =>
      (await server.call(`GET /api/sessions?${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await found('workspace=other')).toEqual(['chat 1'])
    expect(await found('end_user=bob')).toEqual(['later'])
    expect(await found('end_user=nobody')).toEqual([])
    expect(await found('workspace=default&sort=last_run_at')).toEqual(['chat 1', 'later'])
    expect(await found(`to=${encodeURIComponent(ago(15))}`)).toEqual(['chat 1'])
    expect((await server.call('GET /api/sessions?nonsense=1')).status).toBe(422)
  })

  test('contain their runs in order with the captured content, page by page', async () => {
    const path = 'GET /api/sessions/chat%201?workspace=default&limit=2'
    const first = (await server.call(path)).body
    expect(first.data).toMatchObject({ id: 'chat 1', run_count: 3, workspace_id: 'default' })
    expect(first.data.runs).toMatchObject([
      { app: 'web', input: 'First', output: 'Answer' },
      { app: 'shop', input: null, output: null },
    ])
    const second = (await server.call(`${path}&cursor=${first.next_cursor}`)).body
    expect(second.data.runs).toMatchObject([{ status: 'error', error: 'overloaded' }])
    expect(second.next_cursor).toBeNull()
    // Without a workspace, the one with the latest activity.
    expect((await server.call('GET /api/sessions/chat%201')).body.data).toMatchObject({
      workspace_id: other,
      run_count: 1,
    })
    for (const missing of ['nothing', 'later?workspace=other', 'later?workspace=nowhere'])
      expect((await server.call(`GET /api/sessions/${missing}`)).body.code).toBe('not_found')
  })

  test('end a page early when the content is large', async () => {
    const output = 'x'.repeat(500_000)
    const body = Array.from({ length: 6 }, () => ({ ...minimal, session_id: 'large', input: output, output }))
    for (const run of body) expect((await server.call('POST /api/runs', { body: run })).status).toBe(201)
    const first = (await server.call('GET /api/sessions/large')).body
    expect(first.data.runs).toHaveLength(4)
    const second = (await server.call(`GET /api/sessions/large?cursor=${first.next_cursor}`)).body
    expect(second.data.runs).toHaveLength(2)
  })

  test('are closed to a token that is limited to a workspace', async () => {
    const created = await server.call('POST /api/tokens', { body: { name: 'limited', workspace: 'default' } })
    const { token } = created.body.data
    for (const path of ['GET /api/sessions', 'GET /api/sessions/later'])
      expect((await server.call(path, { token })).status).toBe(403)
  })
})

test('sessions follow the deletion of expired runs', async () => {
  const log = await openRunLog()
  try {
    log.settings = { ...log.settings, runRetentionDays: 30 }
    const at = (days: number) => new Date(noon - days * day).toISOString()
    await log.add({ session_id: 'long', created_at: at(20), total_tokens: 5, cost_usd: 1, status: 'error' })
    await log.add({ session_id: 'long', created_at: at(2), total_tokens: 7 })
    await log.add({ session_id: 'short', created_at: at(20) })
    log.now = noon + 12 * day
    await log.runs.maintain()
    const { data } = await log.runs.sessions.list(systemContext(new Date(log.now), 'test'), { limit: 50 })
    expect(data).toMatchObject([
      { id: 'long', run_count: 1, error_count: 0, total_tokens: 7, cost_usd: null, first_run_at: at(2) },
    ])
    expect(log.errors).toEqual([])
  } finally {
    await log.close()
  }
})
