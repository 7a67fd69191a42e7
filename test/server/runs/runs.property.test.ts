import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import type { Environment } from '../../../contract/live/frames.ts'
import type { Run, RunReport } from '../../../contract/runs/run.ts'
import type { OptionalRunField } from '../../../contract/runs/run-filters.ts'
import { type StatDimension, type StatGroup, statDimensions } from '../../../contract/runs/run-stats.ts'
import { day, hour, minute, noon, openRunLog, type RunLog } from './runs-support.ts'

let log: RunLog
afterEach(() => log.close())

const start = noon - 80 * day
const name = (...names: string[]) => fc.constantFrom(...names)
const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 3 })

const report: fc.Arbitrary<RunReport> = fc.record({
  provider: name('openai', 'claude', 'ollama'),
  model: name('gpt-4o', 'gpt-4o-mini', 'claude-opus', 'llama3'),
  latency_ms: fc.oneof(fc.nat(100), fc.double({ min: 0, max: 60_000, noNaN: true })),
  ttft_ms: nullable(fc.oneof(fc.nat(100), fc.double({ min: 0, max: 9000, noNaN: true }))),
  status: fc.constantFrom('ok', 'ok', 'ok', 'error'),
  source: name('sdk', 'playground', 'agent'),
  ref_key: nullable(name('greet', 'sum/short', 'sum/long', 'triage')),
  version: nullable(name('v1', 'v2')),
  env: nullable(fc.constantFrom<Environment>('dev', 'prod')),
  app: nullable(name('shop', 'desk')),
  tags: nullable(fc.subarray(['beta', 'eu', 'vip'], { minLength: 1 })),
  error_type: nullable(name('timeout', 'rate_limited')),
  workspace_id: name('default', 'sales', 'w-lab'),
  prompt_tokens: nullable(fc.nat(5000)),
  output_tokens: nullable(fc.nat(900)),
  cost_usd: nullable(fc.nat(1_000_000_000).map((nano) => nano / 1e9)),
  error: nullable(name('timeout after 30 s', 'rate limit reached', 'model overloaded')),
  // Dense around a few instants, so that edges of hours, days and months and equal times all occur.
  created_at: fc
    .oneof(
      fc.nat(80 * day),
      fc.nat(20).map((n) => n * hour),
      fc.nat(20).map((n) => n * hour - 1),
      fc.nat(79).map((n) => n * day - 12 * hour),
      fc.constant(40 * day),
    )
    .map((offset) => new Date(Math.max(start, start + offset)).toISOString()),
})

const instant = fc
  .oneof(
    fc.nat(80 * day),
    fc.nat(80).map((n) => n * day - 12 * hour),
    fc.nat(100).map((n) => n * hour),
    fc.constantFrom(Date.parse('2026-10-01') - start, Date.parse('2026-11-01') - start),
  )
  .map((offset) => new Date(start + offset))

const optionalSubset = (...names: string[]) =>
  fc.option(fc.subarray([...names, 'nowhere'], { minLength: 1 }), { nil: undefined, freq: 1 })
const statsFilters = {
  source: optionalSubset('sdk', 'playground', 'agent'),
  provider: optionalSubset('openai', 'claude', 'ollama'),
  model: optionalSubset('gpt-4o', 'gpt-4o-mini', 'claude-opus'),
  status: fc.option(fc.subarray(['ok', 'error'] as ('ok' | 'error')[], { minLength: 1 }), {
    nil: undefined,
    freq: 1,
  }),
  workspace: optionalSubset('default', 'w-sales', 'lab'),
  ref_key: optionalSubset('greet', 'sum/short'),
  env: fc.option(fc.subarray(['dev', 'test', 'prod'] as Environment[], { minLength: 1 }), {
    nil: undefined,
    freq: 1,
  }),
  version: optionalSubset('v1'),
  user: optionalSubset('edda', 'finn'),
  app: optionalSubset('shop'),
  tag: optionalSubset('beta', 'vip'),
  error_type: optionalSubset('timeout'),
  not_provider: optionalSubset('openai'),
  not_app: optionalSubset('desk'),
  not_tag: optionalSubset('eu'),
  has_no: fc.option(
    fc.subarray(['env', 'app', 'ref_key', 'tags'] as OptionalRunField[], { minLength: 1, maxLength: 1 }),
    {
      nil: undefined,
      freq: 1,
    },
  ),
  from: fc.option(instant, { nil: undefined }),
  to: fc.option(instant, { nil: undefined }),
}
const filters = fc.record(
  {
    ...statsFilters,
    min_latency_ms: fc.option(fc.nat(30_000), { nil: undefined, freq: 1 }),
    max_latency_ms: fc.option(fc.nat(60_000), { nil: undefined, freq: 1 }),
    q: fc.option(name('gpt', 'sum', 'timeout', 'gpt 4o', 'over greet', 'lim', 'zzz', '4o mini'), {
      nil: undefined,
      freq: 1,
    }),
  },
  { requiredKeys: [] },
)
const interval = fc.constantFrom('minute', '5min', 'hour', 'day', 'auto')
/** Few filters at once, so that roll-ups of every kind are used, and combinations of up to two with rows. */
const statsQuery = fc.oneof(
  fc.record({ ...statsFilters, interval }, { requiredKeys: [] }),
  fc
    .tuple(
      fc.subarray(Object.keys(statsFilters) as (keyof Filters)[], { maxLength: 2 }),
      fc.record(statsFilters),
      interval,
    )
    .map(([names, all, chosen]) => ({
      ...Object.fromEntries(names.map((filter) => [filter, all[filter as keyof typeof all]])),
      interval: chosen,
    })),
)
const grouping = fc.uniqueArray(fc.constantFrom(...statDimensions), { minLength: 1, maxLength: 2 })

type Filters = typeof filters extends fc.Arbitrary<infer F> ? F : never

const slugs: Record<string, string> = { sales: 'w-sales', lab: 'w-lab' }
const words = (text: string) =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)

const isExcluded = (unwanted: string[] | undefined, value: string | null) =>
  value !== null && (unwanted ?? []).includes(value)
const hasTag = (tags: string[] | undefined, run: Run, isWanted: boolean) =>
  tags === undefined || tags.some((tag) => run.tags?.includes(tag)) === isWanted

/** Reference implementation of the filters. */
function matches(run: Run, f: Filters): boolean {
  const at = Date.parse(run.created_at)
  const isAny = (wanted: string[] | undefined, value: string | null) =>
    wanted === undefined || (value !== null && wanted.includes(value))
  return (
    isAny(f.source, run.source) &&
    isAny(f.provider, run.provider) &&
    isAny(f.model, run.model) &&
    isAny(f.status, run.status) &&
    isAny(
      f.workspace?.map((idOrSlug) => slugs[idOrSlug] ?? idOrSlug),
      run.workspace_id,
    ) &&
    isAny(f.ref_key, run.ref_key) &&
    isAny(f.version, run.version) &&
    isAny(f.user, run.user) &&
    isAny(f.env, run.env) &&
    isAny(f.app, run.app) &&
    isAny(f.error_type, run.error_type) &&
    hasTag(f.tag, run, true) &&
    !isExcluded(f.not_provider, run.provider) &&
    !isExcluded(f.not_app, run.app) &&
    hasTag(f.not_tag, run, false) &&
    (f.has_no ?? []).every((field) => run[field as keyof Run] === null) &&
    (f.from === undefined || at >= f.from.getTime()) &&
    (f.to === undefined || at < f.to.getTime()) &&
    (f.min_latency_ms === undefined || run.latency_ms >= f.min_latency_ms) &&
    (f.max_latency_ms === undefined || run.latency_ms <= f.max_latency_ms) &&
    (f.q === undefined ||
      words(f.q).every((word) =>
        [run.ref_key, run.model, run.error].some((text) => words(text ?? '').some((w) => w.startsWith(word))),
      ))
  )
}

const newestFirst = (a: Run, b: Run) =>
  a.created_at === b.created_at ? b.id - a.id : a.created_at < b.created_at ? 1 : -1

async function fill(reports: RunReport[]): Promise<Run[]> {
  const all: Run[] = []
  for (const [index, report] of reports.entries()) {
    all.push(await log.add(report, { id: index % 2 ? 'u1' : 'u2', name: index % 2 ? 'edda' : 'finn' }))
  }
  return all.sort(newestFirst)
}

/** Reads all pages by cursor. */
async function readPages(query: Filters, sort: 'created_at' | '-created_at', limit: number) {
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
function expectNear(
  found: number | null,
  runs: Run[],
  p: number,
  of: (run: Run) => number | null = (run) => run.latency_ms,
) {
  const values = runs.flatMap((run) => of(run) ?? [])
  if (values.length === 0) return expect(found).toBeNull()
  const exact = rank(values, p)
  expect(Math.abs((found ?? Number.NaN) - exact)).toBeLessThanOrEqual(exact * 0.05 + 0.001)
}
function expectMeasures(found: Measures, runs: Run[]) {
  expect({ count: found.count, ok: found.ok, error: found.error, total_tokens: found.total_tokens }).toEqual({
    count: runs.length,
    ok: runs.filter((run) => run.status === 'ok').length,
    error: runs.filter((run) => run.status === 'error').length,
    total_tokens: sum(runs, (run) => run.total_tokens),
  })
  const known = runs.filter((run) => run.cost_usd !== null)
  if (known.length === 0) expect(found.cost_usd).toBeNull()
  else
    expect(Math.round((found.cost_usd ?? 0) * 1e9)).toBe(
      sum(known, (run) => Math.round((run.cost_usd ?? 0) * 1e9)),
    )
  if (runs.length === 0) expect(found.avg_latency_ms).toBeNull()
  else expect(found.avg_latency_ms).toBeCloseTo(sum(runs, (run) => run.latency_ms) / runs.length, 2)
  expectNear(found.p95_latency_ms, runs, 95)
  if (found.p95_ttft_ms !== undefined) expectNear(found.p95_ttft_ms, runs, 95, (run) => run.ttft_ms)
}
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

async function expectStats(
  all: Run[],
  query: Filters & { interval?: 'minute' | '5min' | 'hour' | 'day' | 'auto' },
) {
  const stats = await log.runs.stats(log.ctx(), { interval: 'auto', ...query })
  const runs = all.filter((run) => matches(run, query))
  expectMeasures({ ...stats, count: stats.total, p95_latency_ms: stats.p95_latency_ms }, runs)
  expectNear(stats.p50_latency_ms, runs, 50)
  expectNear(stats.p99_latency_ms, runs, 99)
  expectNear(stats.p50_ttft_ms, runs, 50, (run) => run.ttft_ms)
  expect(stats.prompt_tokens).toBe(sum(runs, (run) => run.prompt_tokens))
  expect(stats.output_tokens).toBe(sum(runs, (run) => run.output_tokens))
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
    for (const [index, point] of stats.series.entries()) {
      const from = Date.parse(point.start)
      if (index > 0) expect(from - Date.parse(stats.series[index - 1]?.start ?? '')).toBe(width)
      const inside = runs.filter((run) => {
        const at = Date.parse(run.created_at)
        return at >= from && at < from + width
      })
      expectMeasures(point, inside)
      expectNear(point.p50_latency_ms, inside, 50)
      expectNear(point.p99_latency_ms, inside, 99)
      expectNear(point.p50_ttft_ms, inside, 50, (run) => run.ttft_ms)
      expect(point.prompt_tokens).toBe(sum(inside, (run) => run.prompt_tokens))
      expect(point.output_tokens).toBe(sum(inside, (run) => run.output_tokens))
    }
  }
  expect(stats.series.reduce((total, point) => total + point.count, 0)).toBe(runs.length)
}

/** Returns the names of the groups to which a run belongs. */
function groupNamesOf(run: Run, dimensions: readonly StatDimension[]): Record<string, string | null>[] {
  const names: Record<string, string | null> = {}
  for (const dimension of dimensions) {
    if (dimension === 'ref_key' || dimension === 'version') {
      names['ref_key'] = run.ref_key
      names['env'] = run.env
    }
    if (dimension === 'workspace') names['workspace'] = run.workspace_id
    else if (dimension !== 'tag') names[dimension] = run[dimension]
  }
  if (!dimensions.includes('tag')) return [names]
  return (run.tags ?? [null]).map((tag) => ({ ...names, tag }))
}
const textOf = (names: Record<string, string | null>) => JSON.stringify(Object.entries(names).sort())

/** Returns the runs of each group, and those of the earlier period. */
function groupsOf(all: Run[], query: Filters, earlier: Filters, dimensions: readonly StatDimension[]) {
  const groups = new Map<string, { runs: Run[]; previous: Run[] }>()
  for (const run of all)
    for (const names of groupNamesOf(run, dimensions)) {
      const group = groups.get(textOf(names)) ?? { runs: [], previous: [] }
      if (matches(run, query)) group.runs.push(run)
      if (matches(run, earlier)) group.previous.push(run)
      groups.set(textOf(names), group)
    }
  return groups
}

async function expectGroups(all: Run[], query: Filters, group_by: StatDimension[], isFromRows: boolean) {
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

const dropUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as T

async function expectAllGroups(
  all: Run[],
  queries: readonly (Filters & { interval?: unknown })[],
  groupings: readonly StatDimension[][],
  isFromRows: boolean,
) {
  for (const [index, dimensions] of groupings.entries()) {
    const { interval: _interval, ...query } = dropUndefined(queries[index] ?? {})
    await expectGroups(all, index === 0 ? {} : query, dimensions, isFromRows)
  }
}

describe('compared with a reference that scans every run', () => {
  test('lists, totals and statistics match under any filters, before and after compaction and retention', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(report, { minLength: 1, maxLength: 60 }),
        fc.array(filters, { minLength: 4, maxLength: 4 }),
        fc.array(statsQuery, { minLength: 4, maxLength: 4 }),
        fc.array(grouping, { minLength: 2, maxLength: 2 }),
        fc.integer({ min: 1, max: 79 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 30 }),
        async (reports, lists, queries, groupings, days, isFromRows, limit) => {
          // Without rows, statistics come from roll-ups wherever these can answer.
          log = await openRunLog(isFromRows ? {} : { maxExactRuns: 0 })
          try {
            let all = await fill(reports)
            const expectAgreement = async () => {
              for (const list of lists) {
                const expected = all.filter((run) => matches(run, list))
                const down = await readPages(dropUndefined(list), '-created_at', limit)
                expect(down.seen).toEqual(expected)
                expect(down.totals).toEqual([expected.length])
                const up = await readPages(dropUndefined(list), 'created_at', limit)
                expect(up.seen).toEqual([...expected].reverse())
              }
              for (const query of queries) await expectStats(all, dropUndefined(query))
              await expectStats(all, {})
              await expectAllGroups(all, queries, groupings, isFromRows)
            }
            await expectAgreement()
            await log.runs.maintain()
            await expectAgreement()
            log.settings = { ...log.settings, runRetentionDays: days }
            await log.runs.maintain()
            const oldest = noon - days * day
            all = all.filter((run) => Date.parse(run.created_at) >= oldest)
            await expectAgreement()
            all = [
              ...all,
              await log.add({ ref_key: 'late', created_at: new Date(oldest).toISOString() }),
            ].sort(newestFirst)
            await expectAgreement()
            expect(log.errors).toEqual([])
          } finally {
            await log.close()
          }
        },
      ),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 15), endOnFailure: false },
    )
    log = await openRunLog()
  }, 120_000)
})
