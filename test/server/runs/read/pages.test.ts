import { beforeEach, describe, expect, test } from 'vitest'
import { Problem } from '../../../../server/lib/fail.ts'
import { at, day, minimal, noon } from '../runs-support.ts'
import { list, log, many, setUpLog } from './read-support.ts'

setUpLog()

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was refused',
    (error: unknown) => (error instanceof Problem ? `${error.code} ${error.extra.errors?.[0]?.path}` : error),
  )

describe('pages', () => {
  beforeEach(() => many(120, (index) => ({ latency_ms: index, created_at: at(-(index % 40) * 1000) })))

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

test('reading an unknown run is not_found', async () => {
  expect(await codeOf(log.runs.get(log.ctx(), 99))).toMatch(/^not_found/)
})
