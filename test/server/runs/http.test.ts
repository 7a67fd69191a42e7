import { describe, expect, test } from 'vitest'
import { server, setUpService } from '../file-service.ts'
import { minimal } from './runs-support.ts'

let viewer: { token: string; username: string }
setUpService(async () => {
  viewer = await server.signedIn('viewer')
})

const audited = async () => (await server.call('GET /api/audit?resource=run')).body.data

describe('over HTTP', () => {
  test('a viewer reports a run, and all signed-in users can read it', async () => {
    const reply = await server.call('POST /api/runs', {
      token: viewer.token,
      body: { ...minimal, ref_key: 'greet' },
    })
    expect(reply.status).toBe(201)
    expect(reply.body.data).toMatchObject({ ref_key: 'greet', user: viewer.username, reported: true })
    const list = await server.call('GET /api/runs?ref_key=greet&ref_key=other&limit=5')
    expect(list.body).toEqual({ data: [reply.body.data], total: 1, next_cursor: null })
    const detail = await server.call(`GET /api/runs/${reply.body.data.id}`, { token: viewer.token })
    expect(detail.body.data).toMatchObject({ ...reply.body.data, input: null, output: null, params: null })
    // Runs are not mutations.
    expect(await audited()).toEqual([])
  })

  test.each([
    ['GET /api/runs?ref_key=shared', (body: { total: number }) => body.total],
    ['GET /api/runs/stats?ref_key=shared', (body: { data: { total: number } }) => body.data.total],
  ])('%s is the same text again, with the runs stored in between', async (what, totalOf) => {
    const first = await server.call(what)
    expect((await server.call(what)).text).toBe(first.text)
    await server.call('POST /api/runs', { body: { ...minimal, ref_key: 'shared' } })
    expect(totalOf((await server.call(what)).body)).toBe(totalOf(first.body) + 1)
  })

  test('a batch returns ids, or is refused completely with the path of each error', async () => {
    const batch = await server.call('POST /api/runs', { body: [minimal, { ...minimal, provider: 'claude' }] })
    expect(batch.status).toBe(201)
    expect(batch.body.data.map((item: object) => Object.keys(item))).toEqual([['id'], ['id']])
    const before = (await server.call('GET /api/runs')).body.total
    const bad = await server.call('POST /api/runs', { body: [minimal, { ...minimal, latency_ms: -1 }] })
    expect(bad.status).toBe(422)
    expect(bad.body.errors.map((error: { path: string }) => error.path)).toContain('1.latency_ms')
    const unknown = await server.call('POST /api/runs', {
      body: [minimal, { ...minimal, workspace_id: 'nowhere' }],
    })
    expect(unknown.status).toBe(422)
    expect(unknown.body.errors).toMatchObject([{ path: '1.workspace_id' }])
    expect((await server.call('GET /api/runs')).body.total).toBe(before)
  })

  test.each([
    ['GET /api/runs?nonsense=1', 422],
    ['GET /api/runs?limit=500', 422],
    ['GET /api/runs?cursor=x', 422],
    ['GET /api/runs/stats?nonsense=1', 422],
    // Statistics have no sums of texts, and must not show those of all runs.
    ['GET /api/runs/stats?content=refund', 422],
    ['GET /api/runs/errors?content=refund', 422],
    ['GET /api/runs/export?format=xml', 422],
    ['GET /api/runs/999999', 404],
    ['GET /api/runs/nonsense', 404],
  ])('%s is %i', async (what, status) => {
    const reply = await server.call(what)
    expect(reply.status).toBe(status)
    expect(reply.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(reply.text).not.toMatch(/select|sqlite|\.ts|\.js/i)
  })

  test('no access without a token', async () => {
    for (const what of [
      'GET /api/runs',
      'GET /api/runs/1',
      'GET /api/runs/stats',
      'GET /api/runs/errors',
      'GET /api/runs/export',
      'POST /api/runs',
    ]) {
      expect((await server.call(what, { token: null })).status).toBe(401)
    }
  })

  test('statistics agree with the list', async () => {
    const { data } = (await server.call('GET /api/runs/stats?interval=hour')).body
    expect(data.total).toBe((await server.call('GET /api/runs')).body.total)
    expect(data.by_provider.reduce((sum: number, line: { count: number }) => sum + line.count, 0)).toBe(
      data.total,
    )
  })

  test('an export is a download, and one entry of the audit log', async () => {
    const csv = await server.call('GET /api/runs/export?format=csv&provider=claude', { token: viewer.token })
    expect(csv.status).toBe(200)
    expect(csv.headers.get('content-type')).toMatch(/^text\/csv/)
    expect(csv.headers.get('content-disposition')).toMatch(
      /^attachment; filename="?runs-\d{4}-\d\d-\d\d\.csv/,
    )
    expect(csv.text.trimEnd().split('\r\n')).toHaveLength(2)
    expect(await audited()).toMatchObject([
      {
        action: 'export',
        resource: 'run',
        actor: viewer.username,
        summary: expect.stringContaining('provider'),
      },
    ])
  })

  test('all data exists after a restart, and ids continue', async () => {
    const before = (await server.call('GET /api/runs')).body
    await server.restart()
    expect((await server.call('GET /api/runs')).body).toEqual(before)
    const next = await server.call('POST /api/runs', { body: minimal })
    expect(next.body.data.id).toBe(before.data[0].id + 1)
  })

  test('a time with more than milliseconds selects the same in list, statistics, export and audit log', async () => {
    const run = await server.call('POST /api/runs', { body: { ...minimal, ref_key: 'finer' } })
    await server.call('POST /api/workspaces', { body: { name: 'Finer' } })
    const entry = (await server.call('GET /api/audit?key=finer')).body.data[0]
    const counts = async (bound: string, digits: string) => {
      const query = (at: string) => `${bound}=${at.replace('Z', `${digits}Z`)}`
      const runs = `ref_key=finer&${query(run.body.data.created_at)}`
      return [
        (await server.call(`GET /api/runs?${runs}`)).body.total,
        (await server.call(`GET /api/runs/stats?${runs}`)).body.data.total,
        (await server.call(`GET /api/runs/export?format=jsonl&${runs}`)).text.split('\n').length - 1,
        (await server.call(`GET /api/audit?key=finer&${query(entry.created_at)}`)).body.total,
      ]
    }
    expect(await counts('from', '0001')).toEqual([0, 0, 0, 0])
    expect(await counts('to', '0001')).toEqual([1, 1, 1, 1])
    expect(await counts('from', '000')).toEqual([1, 1, 1, 1])
  })
})
