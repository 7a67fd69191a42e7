import { parse } from 'node:path'
import { describe, expect, it } from 'vitest'
import { addEntries, editor, entries, promoted, reader, server, setUpService, team } from './api-support.ts'

setUpService()

const list = async (query: string, token?: string) =>
  server.call(`GET /api/audit?${query}`, token ? { token } : {})
const summaries = async (query: string): Promise<string[]> =>
  (await list(query)).body.data.map((entry: { action: string; resource: string; key: string }) =>
    [entry.action, entry.resource, entry.key].join(' '),
  )

describe('GET /api/audit', () => {
  it('shows the newest first, with its total and the state of the chain', async () => {
    // The first verification of the chain runs concurrently with the first requests.
    await expect.poll(async () => (await list('limit=1')).body.chain.ok, { timeout: 10_000 }).not.toBeNull()
    const { status, body } = await list('limit=2')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      total: entries,
      next_cursor: expect.any(String),
      chain: { ok: true, status: 'verified', unverifiable_before: null, verified_at: expect.any(String) },
    })
    expect(body.data.map((entry: { id: number }) => entry.id)).toEqual([entries, entries - 1])
    expect(body.data[0]).toEqual({
      id: entries,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      actor: 'service-token',
      actor_id: null,
      actor_kind: 'service_token',
      action: 'role_change',
      resource: 'user',
      resource_id: promoted.id,
      key: 'vera',
      workspace_id: null,
      summary: expect.stringContaining('vera'),
      ip: '127.0.0.1',
      request_id: expect.any(String),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  it('may be read by a viewer', async () => expect((await list('', reader.token)).status).toBe(200))

  it.each([
    ['actor', () => 'actor=edda&action=create', ['create workspace team-nord']],
    ['action', () => 'action=role_change', ['role_change user vera']],
    [
      'several actions',
      () => 'action=role_change&action=update',
      ['role_change user vera', 'update workspace team-nord'],
    ],
    [
      'resource',
      () => 'resource=workspace&actor=edda',
      ['update workspace team-nord', 'create workspace team-nord'],
    ],
    ['resource_id', () => `resource_id=${promoted.id}&action=role_change`, ['role_change user vera']],
    ['key', () => 'key=team-nord', ['update workspace team-nord', 'create workspace team-nord']],
    [
      'workspace by id',
      () => `workspace=${team.id}`,
      ['update workspace team-nord', 'create workspace team-nord'],
    ],
    [
      'workspace by slug',
      () => 'workspace=team-nord',
      ['update workspace team-nord', 'create workspace team-nord'],
    ],
    ['several filters combined', () => 'actor=edda&resource=user', []],
    ['words', () => 'q=team+update', ['update workspace team-nord']],
    ['the beginnings of words', () => 'q=tea+upd', ['update workspace team-nord']],
    ['words in any case and with punctuation', () => 'q=TEAM-nord%20UPDATE', ['update workspace team-nord']],
    ['a word that does not occur', () => 'q=zebra', []],
    ['the middle of a word, which does not match', () => 'q=eam', []],
    ['punctuation only', () => 'q=%21%21', []],
  ])('filters by %s', async (_, query, expected) => {
    expect(await summaries(query())).toEqual(expected)
    expect((await list(query())).body.total).toBe(expected.length)
  })

  it('accepts a time range, from inclusive, to exclusive', async () => {
    const all = (await list('sort=created_at&limit=200')).body.data
    const times: string[] = all.map((entry: { created_at: string }) => entry.created_at)
    const middle = times[Math.floor(times.length / 2)] ?? ''
    const at = encodeURIComponent(middle)
    const count = async (query: string) => (await list(query)).body.total
    expect(await count(`from=${at}`)).toBe(times.filter((time) => time >= middle).length)
    expect(await count(`to=${at}`)).toBe(times.filter((time) => time < middle).length)
    expect(await count(`from=${at}&to=${at}`)).toBe(0)
    expect(await count('from=2999-01-01')).toBe(0)
  })

  it.each(['-created_at', 'created_at'])(
    'pages by cursor through every entry once, in order (%s)',
    async (sort) => {
      const seen: number[] = []
      let cursor: string | null = null
      do {
        const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
        const { body } = await list(`limit=3&sort=${sort}${next}`)
        seen.push(...body.data.map((entry: { id: number }) => entry.id))
        cursor = body.next_cursor
      } while (cursor !== null)
      const inOrder = Array.from({ length: entries }, (_, index) => index + 1)
      expect(seen).toEqual(sort === 'created_at' ? inOrder : inOrder.toReversed())
    },
  )

  it('returns a stable page for a cursor while entries are added', async () => {
    const first = (await list('limit=2&resource=workspace')).body
    const created = await server.call('POST /api/workspaces', { body: { name: 'Meanwhile' } })
    const second = (await list(`limit=2&resource=workspace&cursor=${first.next_cursor}`)).body
    await server.call(`DELETE /api/workspaces/${created.body.data.id}`)
    addEntries(2)
    expect(second.data[0].id).toBeLessThan(first.data[1].id)
    expect(second.data.map((entry: { key: string }) => entry.key)).not.toContain('meanwhile')
  })

  it('pages by offset', async () => {
    const ids = async (query: string) =>
      (await list(query)).body.data.map((entry: { id: number }) => entry.id)
    expect(await ids('limit=2&offset=3')).toEqual((await ids('limit=5')).slice(3))
  })

  it.each([
    ['an unknown parameter', 'colour=red'],
    ['an unknown action', 'action=explode'],
    ['an unknown sort', 'sort=actor'],
    ['a limit of 0', 'limit=0'],
    ['a limit of 201', 'limit=201'],
    ['an invalid time', 'from=yesterday'],
    ['an invalid cursor', 'cursor=abc'],
    ['an offset beyond 10,000', 'offset=10001'],
  ])('returns 422 for %s', async (_, query) => {
    expect(await list(query)).toMatchObject({ status: 422, body: { code: 'request.invalid' } })
  })

  it('refuses the cursor of another filter', async () => {
    const { next_cursor } = (await list('limit=1')).body
    expect((await list(`limit=1&actor=edda&cursor=${next_cursor}`)).status).toBe(422)
  })
})

describe('GET /api/audit/:id', () => {
  it('contains the changes, and the previous hash', async () => {
    const [entry] = (await list('action=role_change')).body.data
    const before = (await server.call(`GET /api/audit/${entry.id - 1}`)).body.data
    expect((await server.call(`GET /api/audit/${entry.id}`)).body.data).toMatchObject({
      ...entry,
      before: { role: 'viewer' },
      after: { role: 'editor' },
      prev_hash: before.hash,
    })
  })

  it.each([
    ['999999', 404, 'not_found'],
    ['0', 404, 'not_found'],
    ['x', 404, 'not_found'],
  ])('%s is %i', async (id, status, code) => {
    expect(await server.call(`GET /api/audit/${id}`)).toMatchObject({ status, body: { code } })
  })
})

describe('GET /api/audit/verify', () => {
  it('verifies the chain for an admin', async () => {
    const { status, body } = await server.call('GET /api/audit/verify')
    expect(status).toBe(200)
    expect(body.data).toEqual({
      ok: true,
      status: 'verified',
      unverifiable_before: null,
      entries,
      head: { id: entries, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      first_broken_id: null,
      reason: null,
    })
    expect((await list('limit=1')).body.chain.ok).toBe(true)
  })

  it('is refused for an editor', async () => {
    const reply = await server.call('GET /api/audit/verify', { token: editor.token })
    expect(reply).toMatchObject({ status: 403, body: { code: 'auth.forbidden', required_role: 'admin' } })
  })
})

describe('GET /api/audit/export', () => {
  it('streams CSV with every column, and is audited', async () => {
    const reply = await server.call('GET /api/audit/export?format=csv', { token: editor.token })
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const name = /filename="?([^";]+)/.exec(reply.headers.get('content-disposition') ?? '')?.[1] ?? ''
    expect(parse(name).ext).toBe('.csv')
    const lines = reply.text.trimEnd().split('\r\n')
    expect(lines[0]).toBe(
      'id,created_at,actor,actor_id,actor_kind,action,resource,resource_id,key,workspace_id,summary,ip,request_id,before,after,prev_hash,hash',
    )
    expect(lines).toHaveLength(entries + 1)
    addEntries(1)
    const [newest] = (await list('limit=1')).body.data
    expect(newest).toMatchObject({ id: entries, actor: 'edda', action: 'export', resource: 'audit' })
    const detail = (await server.call(`GET /api/audit/${entries}`)).body.data
    expect(detail.after).toEqual({ format: 'csv', filters: {}, up_to: entries - 1 })
  })

  it('streams JSON Lines with the same filters as the list', async () => {
    const reply = await server.call('GET /api/audit/export?format=jsonl&key=team-nord')
    addEntries(1)
    const lines = reply.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map((line) => line.action)).toEqual(['create', 'update'])
    const detail = (await server.call(`GET /api/audit/${lines[1].id}`)).body.data
    expect(lines[1]).toEqual(detail)
  })

  it('escapes formulas for spreadsheets', async () => {
    const body = { name: '=HYPERLINK("http://evil","click")', slug: 'formula' }
    await server.call('POST /api/workspaces', { body })
    await server.call('PATCH /api/users/nobody', {
      body: { role: 'viewer' },
      headers: { 'x-request-id': '-2' },
    })
    const reply = await server.call('POST /api/workspaces', {
      body: { name: 'At', slug: 'at-sign' },
      headers: { 'x-request-id': '-1-1' },
    })
    expect(reply.status).toBe(201)
    const csv = (await server.call('GET /api/audit/export?format=csv')).text
    addEntries(3)
    expect(csv).toContain("'-1-1")
    expect(csv).not.toMatch(/(?:^|,)"?[=+@-]/m)
  })

  it('refuses an unknown format, and a limit', async () => {
    expect((await server.call('GET /api/audit/export?format=xml')).status).toBe(422)
    expect((await server.call('GET /api/audit/export?limit=5')).status).toBe(422)
  })
})
