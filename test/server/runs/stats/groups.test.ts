import { beforeEach, describe, expect, test } from 'vitest'
import { RunErrorsQuery } from '../../../../contract/runs/run-errors.ts'
import { valueFilterNames } from '../../../../contract/runs/run-filters.ts'
import { RunStatsQuery } from '../../../../contract/runs/run-stats.ts'
import { at, day, hour, minimal, noon } from '../runs-support.ts'
import { log, names, reopen, setUpLog, stats } from './stats-support.ts'

setUpLog()

describe.each([
  ['rows', {}],
  ['roll-ups', { maxExactRuns: 0 }],
] as const)('groups from %s', (source, options) => {
  beforeEach(() => reopen(options))

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
    const long = { from: at(-hour), compare_from: at(-2 * day), compare_series: 'true', interval: 'minute' }
    const { interval, previous_series } = await stats(long)
    expect([interval, previous_series?.length]).toEqual(['hour', 47])
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

test.each([
  { tz: 'Mars/Olympus' },
  { group_by: 'phase' },
  { group_by: 'app,user,token' },
  { sort: 'name' },
  { limit: '201' },
])('a request with %o is refused', async (query) => {
  expect(RunStatsQuery.safeParse(query).success).toBe(false)
})

test('statistics and errors take every filter by value of the list', async () => {
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
