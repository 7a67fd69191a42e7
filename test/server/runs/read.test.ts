import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Run, type RunReport } from '../../../contract/runs/run.ts'
import { RunStatsQuery } from '../../../contract/runs/run-stats.ts'
import { ExportRunsQuery, ListRunsQuery } from '../../../contract/runs/runs.ts'
import { Problem } from '../../../server/lib/fail.ts'
import { day, minimal, noon, openRunLog, type RunLog } from './runs-support.ts'

let log: RunLog
beforeEach(async () => {
  log = await openRunLog()
})
afterEach(async () => {
  expect(log.errors).toEqual([])
  await log.close()
})

const at = (offset: number) => new Date(noon + offset).toISOString()
const list = (query: Partial<Parameters<RunLog['runs']['list']>[1]> = {}) =>
  log.runs.list(log.ctx(), { limit: 50, ...query })
const many = (count: number, reportOf: (index: number) => Partial<RunReport>) =>
  log.runs.report(
    log.ctx(),
    Array.from({ length: count }, (_, index) => ({ ...minimal, ...reportOf(index) })),
  )
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was refused',
    (error: unknown) => (error instanceof Problem ? `${error.code} ${error.extra.errors?.[0]?.path}` : error),
  )

describe('pages', () => {
  beforeEach(() => many(120, (index) => ({ latency_ms: index, created_at: at(-(index % 40) * 1000) })))

  test.each(['created_at', '-created_at'] as const)(
    'by cursor in the order %s show every run once',
    async (sort) => {
      const seen: number[] = []
      let cursor: string | undefined
      do {
        const page = await list({ sort, limit: 7, cursor })
        expect(page.total).toBe(120)
        seen.push(...page.data.map((run) => run.id))
        cursor = page.next_cursor ?? undefined
      } while (cursor !== undefined)
      expect(seen).toHaveLength(120)
      expect(new Set(seen).size).toBe(120)
    },
  )

  test('by cursor are stable while runs are added on both sides', async () => {
    const first = await list({ limit: 10 })
    const before = (await list({ limit: 200 })).data.map((run) => run.id)
    await many(30, () => ({}))
    const seen = first.data.map((run) => run.id)
    let cursor = first.next_cursor ?? undefined
    while (cursor !== undefined) {
      const page = await list({ limit: 10, cursor })
      seen.push(...page.data.map((run) => run.id))
      cursor = page.next_cursor ?? undefined
    }
    expect(seen).toEqual(before)
  })

  test('by cursor contain only the period, also if it ends before the cursor', async () => {
    const descending = await list({ limit: 10 })
    const to = at(-20_000)
    const early = await list({ limit: 200, to: new Date(to), cursor: descending.next_cursor ?? '' })
    expect(early.data).toHaveLength(57)
    expect(early.data.every((run) => run.created_at < to)).toBe(true)
    const ascending = await list({ limit: 10, sort: 'created_at' })
    const late = await list({
      limit: 200,
      sort: 'created_at',
      from: new Date(to),
      cursor: ascending.next_cursor ?? '',
    })
    expect(late.data).toHaveLength(63)
    expect(late.data.every((run) => run.created_at >= to)).toBe(true)
  })

  test('by cursor continue when the run at the cursor was deleted', async () => {
    const first = await list({ limit: 10, sort: 'created_at' })
    log.settings = { ...log.settings, runRetentionDays: 1 }
    log.now = noon + day - 35_000
    await log.runs.maintain()
    const next = await list({ limit: 10, sort: 'created_at', cursor: first.next_cursor ?? '' })
    expect(Date.parse(next.data[0]?.created_at ?? '')).toBeGreaterThanOrEqual(noon - 35_000)
  })

  test('by offset agree with those by cursor', async () => {
    const all = (await list({ limit: 200 })).data.map((run) => run.id)
    expect((await list({ limit: 20, offset: 33 })).data.map((run) => run.id)).toEqual(all.slice(33, 53))
    expect(await list({ limit: 20, offset: 9999 })).toEqual({ data: [], total: 120, next_cursor: null })
    expect((await list({ limit: 5, offset: 3, min_latency_ms: 60 })).total).toBe(60)
  })

  test('a cursor of another order or other filters, an invalid one, and one with an offset are refused', async () => {
    const cursor = (await list({ limit: 10 })).next_cursor ?? ''
    expect(await codeOf(list({ cursor, sort: 'created_at' }))).toBe('request.invalid query.cursor')
    expect(await codeOf(list({ cursor, provider: ['openai'] }))).toBe('request.invalid query.cursor')
    expect(await codeOf(list({ cursor: 'nonsense' }))).toBe('request.invalid query.cursor')
    expect(await codeOf(list({ cursor, offset: 3 }))).toBe('request.invalid query.offset')
  })
})

describe('totals', () => {
  test('are exact without filters and limited to 10,000 with one', async () => {
    for (let n = 0; n < 21; n += 1)
      await many(500, (index) => ({ latency_ms: index, ref_key: n < 20 ? 'big' : 'small' }))
    expect(await list({ limit: 1 })).toMatchObject({ total: 10_500 })
    expect(await list({ limit: 1 })).not.toHaveProperty('total_capped')
    expect(await list({ limit: 1, provider: ['openai'] })).toMatchObject({
      total: 10_000,
      total_capped: true,
    })
    expect(await list({ limit: 1, ref_key: ['big'] })).toMatchObject({ total: 10_000 })
    expect(await list({ limit: 1, ref_key: ['big'] })).not.toHaveProperty('total_capped')
    expect(await list({ limit: 1, user: ['edda'] })).toMatchObject({ total: 10_000, total_capped: true })
    expect(await list({ limit: 1, min_latency_ms: 499 })).toMatchObject({ total: 21 })
    // 10,290 and 9,996 runs: histograms have the first total, and only rows the second one.
    for (const filter of [{ min_latency_ms: 10 }, { max_latency_ms: 489 }])
      expect(await list({ limit: 1, ...filter })).toMatchObject({ total: 10_000, total_capped: true })
    for (const filter of [{ min_latency_ms: 24 }, { max_latency_ms: 475 }]) {
      expect(await list({ limit: 1, ...filter })).toMatchObject({ total: 9996 })
      expect(await list({ limit: 1, ...filter })).not.toHaveProperty('total_capped')
    }
    expect(await list({ limit: 1, min_latency_ms: 10, ref_key: ['small'] })).toMatchObject({ total: 490 })
    expect(await list({ limit: 1, q: 'small gpt' })).toMatchObject({ total: 500 })
    const deep = await list({ limit: 5, offset: 10_000, min_latency_ms: 0 })
    expect(deep.data).toHaveLength(5)
    expect(deep.total_capped).toBe(true)
  }, 60_000)
})

describe('search', () => {
  beforeEach(() =>
    log.runs.report(log.ctx(), [
      { ...minimal, ref_key: 'support/triage', model: 'gpt-4o-mini' },
      {
        ...minimal,
        ref_key: 'support/answer',
        model: 'claude-opus',
        error: 'Rate limit: GPT busy',
        status: 'error',
      },
      { ...minimal, ref_key: 'grüße', model: 'llama3' },
      { ...minimal, ref_key: null, model: 'house' },
    ]),
  )
  test.each([
    ['support', [2, 1]],
    ['SUPPORT', [2, 1]],
    ['supp tri', [1]],
    ['tri supp', [1]],
    ['gpt', [2, 1]],
    ['gpt-4o', [1]],
    ['gpt limit', [2]],
    ['rate support', [2]],
    ['ate', []],
    ['grü', [3]],
    ['hou', [4]],
    ['hou gpt', []],
    ['%', []],
    ['_', []],
    ["'; drop table runs; --", []],
    ['4o', [1]],
  ])('%s', async (q, expected) => {
    const page = await list({ q })
    expect(page.data.map((run) => run.id)).toEqual(expected)
    expect(page.total).toBe(expected.length)
  })
  test('can be combined with other filters', async () => {
    expect((await list({ q: 'support', status: ['error'] })).total).toBe(1)
    expect((await list({ q: 'support', status: ['ok'], provider: ['openai'] })).total).toBe(1)
    expect((await list({ q: 'support', model: ['house'] })).total).toBe(0)
  })
})

describe('filters', () => {
  test('with several values match any of them; an unknown name matches nothing', async () => {
    await log.execution('p1', 'default')
    await many(6, (index) => ({
      provider: ['a', 'b', 'c'][index % 3] ?? '',
      parent_id: index < 2 ? 'p1' : null,
    }))
    expect((await list({ provider: ['a', 'b'] })).data.map((run) => run.id)).toEqual([5, 4, 2, 1])
    expect((await list({ provider: ['a', 'zzz'] })).total).toBe(2)
    expect(await list({ provider: ['zzz'] })).toEqual({ data: [], total: 0, next_cursor: null })
    expect((await list({ parent_id: ['p1'] })).total).toBe(2)
    expect((await list({ parent_id: ['p1', 'p2'], provider: ['b'] })).data.map((run) => run.id)).toEqual([2])
    expect((await list({ status: ['ok', 'error'] })).total).toBe(6)
  })

  test('by time include the beginning and exclude the end', async () => {
    await many(5, (index) => ({ created_at: at(-index * 1000) }))
    const [from, to] = [new Date(noon - 3000), new Date(noon - 1000)]
    expect((await list({ from, to })).data.map((run) => run.id)).toEqual([3, 4])
    expect((await list({ from: to, to: from })).total).toBe(0)
  })

  test('by latency include both ends', async () => {
    await many(5, (index) => ({ latency_ms: index * 10 }))
    expect((await list({ min_latency_ms: 10, max_latency_ms: 30 })).total).toBe(3)
  })

  test('runs of a deleted workspace are still found by its id', async () => {
    await log.add({ workspace_id: 'lab' })
    await log.db.write(async ({ q }) => {
      await q.deleteFrom('workspaces').where('id', '=', 'w-lab').execute()
    })
    expect((await list({ workspace: ['w-lab'] })).total).toBe(1)
    expect((await list({ workspace: ['lab'] })).total).toBe(0)
  })

  const schemas = { list: ListRunsQuery, export: ExportRunsQuery, stats: RunStatsQuery }
  test.each([
    ['list', 'source'],
    ['list', 'limit=0'],
    ['list', 'limit=201'],
    ['list', 'offset=10001'],
    ['list', 'sort=model'],
    ['list', 'not_nonsense=1'],
    ['list', 'has=model'],
    ['list', 'min_cost_usd=cheap'],
    ['list', 'metadata=no-colon'],
    ['list', 'env=staging'],
    ['list', 'from=yesterday'],
    ['list', 'status=fine'],
    ['list', 'min_latency_ms=1.5'],
    ['list', 'nonsense=1'],
    ['export', 'format=xml'],
    ['export', 'limit=5'],
    ['stats', 'limit=0'],
    ['stats', 'user_name=edda'],
    ['stats', 'interval=second'],
  ] as const)('a bad query is refused: %s?%s', (name, text) => {
    const query = Object.fromEntries(new URLSearchParams(text))
    expect(schemas[name].safeParse(query).success).toBe(false)
  })
})

test('reading an unknown run is not_found', async () => {
  expect(await codeOf(log.runs.get(log.ctx(), 99))).toMatch(/^not_found/)
})

describe('export', () => {
  const read = async (query: Parameters<RunLog['runs']['export']>[1]) => {
    const download = await log.runs.export(log.ctx(), query)
    const parts: string[] = []
    for await (const chunk of download.chunks) parts.push(String(chunk))
    return { ...download, parts, text: parts.join('') }
  }

  test('as JSON Lines equals the list, and is audited before it begins', async () => {
    await many(3, (index) => ({ ref_key: `k${index}` }))
    const { text, filename, contentType } = await read({ format: 'jsonl' })
    const lines = text.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual((await list()).data)
    expect(filename).toBe('runs-2026-11-21.jsonl')
    expect(contentType).toMatch(/^application\/x-ndjson/)
    expect(log.recorded).toMatchObject([
      { action: 'export', resource: 'run', summary: 'Exported the run log as JSON Lines' },
    ])
  })

  test('as CSV has a header, quotes where needed and escapes formulas', async () => {
    await log.add({
      ref_key: '=HYPERLINK("http://evil")',
      error: 'a "quoted", line\nbreak',
      version: '+1',
      model: '@SUM(A1)',
    })
    const { text } = await read({ format: 'csv' })
    const [header = '', ...rest] = text.split('\r\n')
    expect(header.split(',')).toEqual(Object.keys(Run.shape))
    const body = rest.join('\r\n')
    expect(body).toContain(`"'=HYPERLINK(""http://evil"")"`)
    expect(body).toContain(`'@SUM(A1)`)
    expect(body).toContain(`'+1`)
    expect(body).toContain('"a ""quoted"", line\nbreak"')
    expect(body).toContain(',false,')
  })

  test('without rows is a header as CSV, and empty as JSON Lines', async () => {
    expect((await read({ format: 'csv' })).text).toMatch(/^id,source,[a-z_,]+\r\n$/)
    expect((await read({ format: 'jsonl', provider: ['nobody'] })).text).toBe('')
  })

  test('is streamed, accepts filters, and never returns a run twice while runs are added', async () => {
    for (let n = 0; n < 3; n += 1) await many(500, (index) => ({ provider: index % 2 ? 'a' : 'b' }))
    const download = await log.runs.export(log.ctx(), { format: 'jsonl', provider: ['a'] })
    const ids: number[] = []
    let pieces = 0
    for await (const chunk of download.chunks) {
      pieces += 1
      ids.push(
        ...String(chunk)
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).id),
      )
      await log.add({ provider: 'a' })
    }
    expect(pieces).toBeGreaterThan(1)
    expect(ids).toHaveLength(750)
    expect(new Set(ids).size).toBe(750)
    expect(log.recorded[0]?.summary).toBe('Exported the run log as JSON Lines, filtered by provider')
  })
})
