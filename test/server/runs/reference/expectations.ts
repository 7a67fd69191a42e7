import { expect } from 'vitest'
import type { Run, RunReport } from '../../../../contract/runs/run.ts'
import type { StatDimension, StatGroup } from '../../../../contract/runs/run-stats.ts'
import { day, hour, minute, type RunLog } from '../runs-support.ts'
import { type Filters, start } from './arbitraries.ts'
import { groupNamesOf, groupsOf, matches, newestFirst, textOf } from './model.ts'

export async function fill(log: RunLog, reports: RunReport[]): Promise<Run[]> {
  const all: Run[] = []
  for (const [index, report] of reports.entries()) {
    all.push(await log.add(report, { id: index % 2 ? 'u1' : 'u2', name: index % 2 ? 'edda' : 'finn' }))
  }
  return all.sort(newestFirst)
}

/** Reads all pages by cursor. */
export async function readPages(
  log: RunLog,
  query: Filters,
  sort: 'created_at' | '-created_at',
  limit: number,
) {
  const seen: Run[] = []
  const totals = new Set<number>()
  let cursor: string | undefined
  do {
    const page = await log.runs.list(log.ctx(), { ...query, sort, limit, cursor })
    seen.push(...page.data)
    totals.add(page.total)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return { seen, totals: [...totals] }
}

const sum = (runs: Run[], of: (run: Run) => number | null) =>
  runs.reduce((total, run) => total + (of(run) ?? 0), 0)

const rank = (values: number[], p: number) => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(1, Math.ceil((p / 100) * sorted.length)) - 1] ?? Number.NaN
}

function isNear(
  found: number | null,
  runs: Run[],
  p: number,
  of: (run: Run) => number | null = (run) => run.latency_ms,
): boolean {
  const values = runs.flatMap((run) => of(run) ?? [])
  if (values.length === 0) return found === null
  const exact = rank(values, p)
  return Math.abs((found ?? Number.NaN) - exact) <= exact * 0.05 + 0.001
}

/** Returns the names of the measures that differ from those of the runs. A series has 1,000 points: `expect` is slow. */
function wrongMeasures(found: Measures, runs: Run[]): string[] {
  const known = runs.filter((run) => run.cost_usd !== null)
  const nanos = sum(known, (run) => Math.round((run.cost_usd ?? 0) * 1e9))
  const average = sum(runs, (run) => run.latency_ms) / runs.length
  const isRight: Record<string, boolean> = {
    count: found.count === runs.length,
    ok: found.ok === runs.filter((run) => run.status === 'ok').length,
    error: found.error === runs.filter((run) => run.status === 'error').length,
    total_tokens: found.total_tokens === sum(runs, (run) => run.total_tokens),
    cost_usd:
      known.length === 0 ? found.cost_usd === null : Math.round((found.cost_usd ?? 0) * 1e9) === nanos,
    avg_latency_ms:
      runs.length === 0
        ? found.avg_latency_ms === null
        : Math.abs((found.avg_latency_ms ?? Number.NaN) - average) < 0.005,
    p95_latency_ms: isNear(found.p95_latency_ms, runs, 95),
    p95_ttft_ms: found.p95_ttft_ms === undefined || isNear(found.p95_ttft_ms, runs, 95, (run) => run.ttft_ms),
  }
  return Object.keys(isRight).filter((name) => !isRight[name])
}

/** Like `wrongMeasures`, with the measures that only totals and points of a series have. */
const wrongTotals = (found: Totals, runs: Run[]): string[] => [
  ...wrongMeasures(found, runs),
  ...(isNear(found.p50_latency_ms, runs, 50) ? [] : ['p50_latency_ms']),
  ...(isNear(found.p99_latency_ms, runs, 99) ? [] : ['p99_latency_ms']),
  ...(isNear(found.p50_ttft_ms, runs, 50, (run) => run.ttft_ms) ? [] : ['p50_ttft_ms']),
  ...(found.prompt_tokens === sum(runs, (run) => run.prompt_tokens) ? [] : ['prompt_tokens']),
  ...(found.output_tokens === sum(runs, (run) => run.output_tokens) ? [] : ['output_tokens']),
]

const expectMeasures = (found: Measures, runs: Run[]) =>
  expect({ found, wrong: wrongMeasures(found, runs) }).toMatchObject({ wrong: [] })

type Measures = {
  count: number
  ok: number
  error: number
  total_tokens: number
  cost_usd: number | null
  avg_latency_ms: number | null
  p95_latency_ms: number | null
  p95_ttft_ms?: number | null
}

type Totals = Measures & {
  p50_latency_ms: number | null
  p99_latency_ms: number | null
  p50_ttft_ms: number | null
  prompt_tokens: number
  output_tokens: number
}

export async function expectStats(
  log: RunLog,
  all: Run[],
  query: Filters & { interval?: 'minute' | '5min' | 'hour' | 'day' | 'auto' },
) {
  const stats = await log.runs.stats(log.ctx(), { interval: 'auto', ...query })
  const runs = all.filter((run) => matches(run, query))
  expect(wrongTotals({ ...stats, count: stats.total }, runs)).toEqual([])
  expect(stats.cost_unknown).toBe(runs.filter((run) => run.cost_usd === null).length)

  const check = <K extends 'provider' | 'model' | 'source'>(
    key: K,
    lines: ({ [k in K]: string | null } & Measures)[],
  ) => {
    expect(lines.map((line) => line[key]).sort()).toEqual([...new Set(runs.map((run) => run[key]))].sort())
    for (const line of lines)
      expectMeasures(
        line,
        runs.filter((run) => run[key] === line[key]),
      )
  }
  check('provider', stats.by_provider)
  check('model', stats.by_model)
  check('source', stats.by_source)
  const keys = stats.by_ref_key.map((row) => JSON.stringify([row.ref_key, row.env]))
  expect(keys.sort()).toEqual([...new Set(runs.map((run) => JSON.stringify([run.ref_key, run.env])))].sort())
  for (const row of stats.by_ref_key)
    expectMeasures(
      row,
      runs.filter((run) => run.ref_key === row.ref_key && run.env === row.env),
    )

  expect(stats.series.length).toBeLessThanOrEqual(1000)
  const width = { minute, '5min': 5 * minute, hour, day, week: 0, month: 0 }[stats.interval]
  if (width > 0) {
    const [first] = stats.series
    const begin = Date.parse(first?.start ?? '')
    const inside: Run[][] = stats.series.map(() => [])
    for (const run of runs) inside[Math.floor((Date.parse(run.created_at) - begin) / width)]?.push(run)
    const wrong = stats.series.flatMap((point, index) => [
      ...(Date.parse(point.start) === begin + index * width ? [] : [point]),
      ...wrongTotals(point, inside[index] ?? []).map((name) => ({ name, point })),
    ])
    expect(wrong).toEqual([])
  }
  expect(stats.series.reduce((total, point) => total + point.count, 0)).toBe(runs.length)
}

async function expectGroups(
  log: RunLog,
  all: Run[],
  query: Filters,
  group_by: StatDimension[],
  isFromRows: boolean,
) {
  const before = { compare_from: new Date(start), compare_to: new Date(start + 30 * day) }
  const stats = await log.runs.stats(log.ctx(), {
    ...query,
    interval: 'day',
    group_by,
    limit: 200,
    series_of: 'groups',
    ...before,
  })
  const earlier = { ...query, from: before.compare_from, to: before.compare_to }
  const expected = groupsOf(all, query, earlier, group_by)
  const columns = Object.keys(groupNamesOf({ tags: null } as Run, group_by)[0] ?? {})
  const namesIn = (group: StatGroup) =>
    textOf(Object.fromEntries(columns.map((key) => [key, group[key as 'env'] ?? null])))
  const withRuns = [...expected].filter(([, { runs }]) => runs.length > 0)
  expect(stats.groups?.map(namesIn).sort()).toEqual(withRuns.map(([names]) => names).sort())
  expect([stats.group_count, stats.other]).toEqual([withRuns.length, null])
  for (const group of stats.groups ?? []) {
    const { runs, previous } = expected.get(namesIn(group)) ?? { runs: [], previous: [] }
    expectMeasures(group, runs)
    expectPercentile(group, runs, isFromRows)
    if (previous.length === 0) expect(group.previous).toBeNull()
    else if (group.previous) expectMeasures(group.previous, previous)
  }
  for (const { count, series } of stats.groups?.slice(0, 10) ?? [])
    expect(series?.reduce((total, point) => total + point.count, 0)).toBe(count)
}

/** A percentile is that of the runs if it is marked as exact, which it is if read from rows. */
function expectPercentile(group: StatGroup, runs: Run[], isFromRows: boolean) {
  const exact = rank(
    runs.map((run) => run.latency_ms),
    95,
  )
  const ttfts = runs.flatMap((run) => run.ttft_ms ?? [])
  if (group.exact) {
    expect(group.p95_latency_ms).toBeCloseTo(exact, 3)
    if (ttfts.length > 0) expect(group.p95_ttft_ms).toBeCloseTo(rank(ttfts, 95), 3)
  } else expect(isFromRows).toBe(false)
}

export const dropUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as T

export async function expectAllGroups(
  log: RunLog,
  all: Run[],
  queries: readonly (Filters & { interval?: unknown })[],
  groupings: readonly StatDimension[][],
  isFromRows: boolean,
) {
  for (const [index, dimensions] of groupings.entries()) {
    const { interval: _interval, ...query } = dropUndefined(queries[index] ?? {})
    await expectGroups(log, all, index === 0 ? {} : query, dimensions, isFromRows)
  }
}
