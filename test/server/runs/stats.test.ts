import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RunErrorsQuery } from '../../../contract/runs/run-errors.ts'
import { valueFilterNames } from '../../../contract/runs/run-filters.ts'
import { RunStatsQuery } from '../../../contract/runs/run-stats.ts'
import { normalizeMessage } from '../../../server/features/runs/query/error-message.ts'
import { day, hour, minimal, minute, noon, openRunLog, type RunLog } from './runs-support.ts'

let log: RunLog
afterEach(() => log.close())

const at = (offset: number) => new Date(noon + offset).toISOString()
/** Sends a query as a request does: as texts. */
const stats = (query: Record<string, unknown> = {}) =>
  log.runs.stats(log.ctx(), RunStatsQuery.parse({ from: at(-10 * day), ...query }))
const names = (groups: readonly object[] | undefined, ...keys: string[]) =>
  (groups ?? []).map((group) => [...keys, 'count'].map((key) => (group as Record<string, unknown>)[key]))

describe.each([
  ['rows', {}],
  ['roll-ups', { maxExactRuns: 0 }],
] as const)('groups from %s', (source, options) => {
  beforeEach(async () => {
    log = await openRunLog(options)
  })

  test('a prompt and a version are never mixed with those of another environment', async () => {
    for (const env of ['prod', 'dev', null] as const)
      await log.add({ ref_key: 'greet', version: 'v1', env, created_at: at(-3 * day) })
    await log.add({ ref_key: 'other', version: 'v1', env: 'prod', created_at: at(-3 * day) })
    await log.runs.maintain()
    await log.add({ ref_key: 'greet', version: 'v1', env: 'prod' })
    const { groups, group_count, total, by_provider } = await stats({ group_by: 'version' })
    expect(names(groups, 'ref_key', 'version', 'env')).toEqual([
      ['greet', 'v1', 'prod', 2],
      ...[
        ['greet', 'v1', 'dev', 1],
        ['greet', 'v1', null, 1],
        ['other', 'v1', 'prod', 1],
      ].sort((a, b) => groupIndex(groups, a) - groupIndex(groups, b)),
    ])
    expect([group_count, total, by_provider]).toEqual([4, 5, []])
    const keys = (await stats({ group_by: 'ref_key' })).groups
    expect(names(keys, 'ref_key', 'env')).toContainEqual(['greet', 'prod', 2])
    expect((await stats()).by_ref_key).toMatchObject([
      { ref_key: 'greet', env: 'prod', count: 2 },
      {},
      {},
      {},
    ])
  })

  test('a run counts for each of its tags, and a missing name is null', async () => {
    await log.add({ tags: ['beta', 'eu'], created_at: at(-2 * day) })
    await log.add({ tags: ['beta'], status: 'error', created_at: at(-2 * day) })
    await log.runs.maintain()
    await log.add({ created_at: at(-hour) })
    const { groups, total } = await stats({ group_by: 'tag', sort: '-error_rate' })
    expect(names(groups, 'tag', 'error_rate')).toEqual([
      ['beta', 0.5, 2],
      ...[
        ['eu', 0, 1],
        [null, 0, 1],
      ].sort((a, b) => groupIndex(groups, a) - groupIndex(groups, b)),
    ])
    expect(total).toBe(3)
  })

  test('are limited; the others are summed', async () => {
    for (let n = 1; n <= 4; n += 1)
      await log.runs.report(
        log.ctx(),
        Array.from({ length: n }, () => ({ ...minimal, app: `app-${n}`, latency_ms: n * 100, cost_usd: n })),
      )
    const { groups, group_count, other } = await stats({ group_by: ['app'], limit: '2', sort: 'cost_usd' })
    expect(names(groups, 'app', 'cost_usd')).toEqual([
      ['app-1', 1, 1],
      ['app-2', 4, 2],
    ])
    expect(group_count).toBe(4)
    expect(other).toMatchObject({ count: 7, cost_usd: 25, p50_latency_ms: expect.any(Number) })
  })

  test('two dimensions, with filters, a series each and the period before', async () => {
    const runs = [
      { provider: 'openai', status: 'error' },
      { provider: 'openai', status: 'ok' },
      { provider: 'claude', status: 'ok' },
    ] as const
    for (const [index, run] of runs.entries())
      for (const days of [1, 8]) await log.add({ ...run, env: 'prod', created_at: at(-(days + index) * day) })
    await log.add({ provider: 'openai', env: 'dev' })
    await log.runs.maintain()
    const found = await stats({
      group_by: 'provider,status',
      env: 'prod',
      from: at(-7 * day),
      compare_from: at(-14 * day),
      interval: 'day',
      series_of: 'groups',
    })
    expect(names(found.groups, 'provider', 'status').sort()).toEqual([
      ['claude', 'ok', 1],
      ['openai', 'error', 1],
      ['openai', 'ok', 1],
    ])
    expect(found.previous).toMatchObject({ count: 3, error: 1 })
    for (const { previous, series } of found.groups ?? []) {
      expect(previous).toMatchObject({ count: 1 })
      expect(series?.map(({ start }) => start)).toEqual(found.series.map(({ start }) => start))
      expect(series?.reduce((sum, { count }) => sum + count, 0)).toBe(1)
    }
  })

  test('two series are compared in one request, in days of a time zone', async () => {
    // A midnight in Berlin.
    const start = noon - 3 * day - 13 * hour
    for (const hours of [1, 25, -24, -47]) {
      await log.add({ created_at: new Date(start + hours * hour).toISOString() })
    }
    await log.runs.maintain()
    const found = await stats({
      from: new Date(start).toISOString(),
      to: new Date(start + 2 * day).toISOString(),
      compare_from: new Date(start - 2 * day).toISOString(),
      compare_series: 'true',
      interval: 'day',
      tz: 'Europe/Berlin',
    })
    const pointsOf = (series: typeof found.series) =>
      series.map(({ start: point, count }) => [(Date.parse(point) - start) / hour, count])
    expect(found).toMatchObject({ tz: 'Europe/Berlin', interval: 'day', previous: { count: 2 } })
    expect(pointsOf(found.series)).toEqual([
      [0, 1],
      [24, 1],
    ])
    expect(pointsOf(found.previous_series ?? [])).toEqual([
      [-48, 1],
      [-24, 1],
    ])
  })

  test('a group of one run has its latency exactly, whatever it is read from', async () => {
    await log.add({ app: 'one', latency_ms: 1234.5, ttft_ms: 333.3, created_at: at(-2 * day) })
    for (const latency_ms of [100, 1010]) await log.add({ app: 'two', latency_ms, created_at: at(-2 * day) })
    await log.runs.maintain()
    const { groups } = await stats({ group_by: 'app', sort: 'count' })
    expect(groups?.[0]).toMatchObject({ exact: true, p50_latency_ms: 1234.5, p95_ttft_ms: 333.3 })
    expect(groups?.[1]?.exact).toBe(source === 'rows')
    if (source === 'rows') expect(groups?.[1]?.p99_latency_ms).toBe(1010)
    else expect(groups?.[1]?.p99_latency_ms).not.toBe(1010)
  })
})

/** Groups with the same value of the sort order are in no documented order. */
const groupIndex = (groups: readonly object[] | undefined, row: readonly unknown[]): number =>
  groups?.findIndex((group) => row.every((value) => Object.values(group).includes(value))) ?? -1

describe('time zones', () => {
  test.each([
    ['UTC', ['2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'], [2, 2], false],
    ['Europe/Berlin', ['2026-11-19T23:00:00.000Z', '2026-11-20T23:00:00.000Z'], [1, 3], false],
    ['Asia/Kolkata', ['2026-11-19T18:00:00.000Z', '2026-11-20T18:00:00.000Z'], [1, 3], true],
  ])('days of %s', async (tz, starts, counts, isRounded) => {
    log = await openRunLog({ maxExactRuns: 0 })
    for (const time of ['20T10:00', '20T23:30', '21T01:00', '21T11:00'])
      await log.add({ created_at: `2026-11-${time}:00Z` })
    await log.runs.maintain()
    const found = await stats({ from: '2026-11-20T06:00:00Z', interval: 'day', tz })
    expect(found.series.map(({ start, count }) => [start, count])).toEqual(
      starts.map((start, index) => [start, counts[index]]),
    )
    expect([found.tz, found.rounded]).toEqual([tz, isRounded])
  })
  test('few runs are read as rows, so days of half-hour zones are exact', async () => {
    log = await openRunLog()
    await log.add({ created_at: '2026-11-20T18:20:00Z' })
    const found = await stats({ from: '2026-11-20T06:00:00Z', interval: 'day', tz: 'Asia/Kolkata' })
    expect(found.series.map(({ start, count }) => [start, count])).toEqual([
      ['2026-11-19T18:30:00.000Z', 1],
      ['2026-11-20T18:30:00.000Z', 0],
    ])
    expect(found.rounded).toBe(false)
  })
  test.each([
    // The clock skips midnight: the first moment of the day is 01:00.
    ['America/Santiago', '2026-09-05T04:00:00.000Z', '2026-09-06T04:00:00.000Z', '2026-09-07T03:00:00.000Z'],
    ['America/Havana', '2026-03-07T05:00:00.000Z', '2026-03-08T05:00:00.000Z', '2026-03-09T04:00:00.000Z'],
    ['Africa/Cairo', '2026-04-22T22:00:00.000Z', '2026-04-23T22:00:00.000Z', '2026-04-24T21:00:00.000Z'],
    // The clock returns from 00:00 to 23:00 of the day before.
    ['Africa/Cairo', '2026-10-28T21:00:00.000Z', '2026-10-29T22:00:00.000Z', '2026-10-30T22:00:00.000Z'],
  ])('days of %s begin at their first moment when the clock changes at midnight', async (tz, ...starts) => {
    log = await openRunLog()
    log.settings = { ...log.settings, runRetentionDays: 3650 }
    const [before = '', changed = '', after = ''] = starts
    await log.add({ created_at: new Date(Date.parse(changed) - minute).toISOString() })
    await log.add({ created_at: changed })
    const to = new Date(Date.parse(after) + minute).toISOString()
    const found = await stats({ from: before, to, interval: 'day', tz })
    expect(found.series.map(({ start, count }) => [start, count])).toEqual([
      [before, 1],
      [changed, 1],
      [after, 0],
    ])
  })
  test('weeks begin on Monday, and a day of 25 hours is one point', async () => {
    log = await openRunLog()
    await log.add({ created_at: '2026-10-25T00:30:00Z' })
    await log.add({ created_at: '2026-10-25T22:30:00Z' })
    const days = await stats({
      from: '2026-10-24T22:00:00Z',
      to: '2026-10-26T23:00:00Z',
      interval: 'day',
      tz: 'Europe/Berlin',
    })
    expect(days.series.map(({ start, count }) => [start, count])).toEqual([
      ['2026-10-24T22:00:00.000Z', 2],
      ['2026-10-25T23:00:00.000Z', 0],
    ])
    const weeks = await stats({ from: '2026-11-10T00:00:00Z', interval: 'week' })
    expect(weeks.series.map(({ start }) => start.slice(0, 10))).toEqual(['2026-11-09', '2026-11-16'])
    const months = await stats({ from: '2026-10-31T22:59:00Z', interval: 'month', tz: 'Europe/Berlin' })
    expect(months.series.map(({ start }) => start)).toEqual([
      '2026-09-30T22:00:00.000Z',
      '2026-10-31T23:00:00.000Z',
    ])
  })
})

test.each([
  { tz: 'Mars/Olympus' },
  { group_by: 'phase' },
  { group_by: 'app,user,token' },
  { sort: 'name' },
  { limit: '201' },
])('a request with %o is refused', async (query) => {
  log = await openRunLog()
  expect(RunStatsQuery.safeParse(query).success).toBe(false)
})

test('statistics and errors take every filter by value of the list', async () => {
  log = await openRunLog()
  const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
  const values: Record<string, string> = { status: 'ok', env: 'prod', trace_id }
  for (const name of valueFilterNames.flatMap((filter) => [filter, `not_${filter}` as const])) {
    const query = { [name]: values[name.replace('not_', '')] ?? 'x' }
    expect([name, RunStatsQuery.safeParse(query).success]).toEqual([name, true])
    const isStatus = name.endsWith('status')
    expect([name, RunErrorsQuery.safeParse(query).success]).toEqual([name, !isStatus])
    expect((await stats({ group_by: 'app', ...query })).groups).toEqual([])
  }
})

describe('errors', () => {
  beforeEach(async () => {
    log = await openRunLog()
  })
  const errors = (query: Record<string, unknown> = {}) =>
    log.runs.errors(log.ctx(), RunErrorsQuery.parse(query))
  const failed = (error: string | null, offset: number, more: object = {}) =>
    log.add({ status: 'error', error, created_at: at(offset), ...more })

  test('are grouped over the whole period by normalized message', async () => {
    const version = { ref_key: 'greet', version: 'v1', env: 'prod', app: 'shop' } as const
    await failed('Timeout after 30000 ms for "gpt-4o"', -40 * day, version)
    await failed('Timeout after 12.5 ms for "llama"', -3 * day, {
      ...version,
      version: 'v2',
      model: 'llama3',
    })
    const newest = await failed('Timeout after 7 ms for "x"', -minute, { ...version, app: 'desk' })
    await failed(null, -day)
    await log.add({ error: 'ignored', created_at: at(-day) })
    const found = await errors()
    expect(found).toMatchObject({ total: 4, group_count: 2 })
    expect(found.groups).toEqual([
      {
        message: 'Timeout after # ms for "…"',
        count: 3,
        first_seen: at(-40 * day),
        last_seen: at(-minute),
        versions: [
          { ref_key: 'greet', version: 'v1', env: 'prod', count: 2 },
          { ref_key: 'greet', version: 'v2', env: 'prod', count: 1 },
        ],
        apps: [
          { app: 'shop', count: 2 },
          { app: 'desk', count: 1 },
        ],
        models: [
          { model: 'gpt-4o', count: 2 },
          { model: 'llama3', count: 1 },
        ],
        example: { id: newest.id, error: 'Timeout after 7 ms for "x"' },
      },
      {
        message: null,
        count: 1,
        first_seen: at(-day),
        last_seen: at(-day),
        versions: [],
        apps: [],
        models: [{ model: 'gpt-4o', count: 1 }],
        example: { id: newest.id + 1, error: null },
      },
    ])
  })
  test('are limited to the period, the filters and a number of groups', async () => {
    for (const app of ['shop', 'desk']) await failed(`of ${app}`, -hour, { app })
    await failed('old', -9 * day, { app: 'shop' })
    expect((await errors({ from: at(-day), app: 'shop' })).groups.map(({ message }) => message)).toEqual([
      'of shop',
    ])
    expect(await errors({ limit: '1' })).toMatchObject({ total: 3, group_count: 3, groups: [{}] })
    expect(await errors({ app: 'nobody' })).toEqual({ total: 0, group_count: 0, groups: [] })
  })
  test.each([
    ['Rate limit: 429, retry in 1,5 s', 'Rate limit: #, retry in # s'],
    ['id 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed', 'id # failed'],
    ['request req_01HZX3 not found', 'request # not found'],
    [`model 'a b' can't read "x" or \`y\``, `model "…" can't read "…" or "…"`],
    ['overloaded', 'overloaded'],
  ])('"%s" is normalized', (message, expected) => {
    expect(normalizeMessage(message)).toBe(expected)
  })
})
