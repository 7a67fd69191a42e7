import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Run, RunReport } from '../../../contract/runs/run.ts'
import type { RunSort } from '../../../contract/runs/run-filters.ts'
import { ListRunsQuery } from '../../../contract/runs/runs.ts'
import { log, reopen, setUpLog } from './run-log.ts'
import { day, minimal, noon } from './runs-support.ts'

setUpLog()

const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 2 })
const names = (...values: string[]) => nullable(fc.constantFrom(...values))

const report: fc.Arbitrary<RunReport> = fc.record({
  ...Object.fromEntries(Object.entries(minimal).map(([field, value]) => [field, fc.constant(value)])),
  provider: fc.constantFrom('openai', 'claude'),
  model: fc.constant('gpt-4o'),
  status: fc.constantFrom('ok', 'error'),
  latency_ms: fc.constantFrom(0, 5, 80, 80, 1200.5),
  ttft_ms: nullable(fc.constantFrom(1, 40, 40)),
  cost_usd: nullable(fc.constantFrom(0, 0.000001, 0.25)),
  total_tokens: nullable(fc.constantFrom(0, 10, 10, 900)),
  ref_key: names('greet', 'triage'),
  env: nullable(fc.constantFrom('dev', 'test', 'prod')),
  app: names('shop', 'desk'),
  session_id: names('c-1', 'c-2'),
  end_user: names('ann', 'bob'),
  hash_end_user: fc.boolean(),
  tags: nullable(fc.subarray(['beta', 'eu', 'Größe "x"'])),
  metadata: nullable(
    fc.constantFrom({ plan: 'pro' }, { plan: 'free', seats: 3 }, { beta: true, 'a.b': 'x:y' }, {}),
  ),
  error: names('timeout'),
  created_at: fc.nat(20).map((days) => new Date(noon - days * day).toISOString()),
})

const some = (...values: string[]) => fc.subarray([...values, 'nowhere'], { minLength: 1 })
const valueFilters = {
  provider: some('openai', 'claude'),
  status: fc.subarray(['ok', 'error'], { minLength: 1 }),
  ref_key: some('greet', 'triage'),
  env: fc.subarray(['dev', 'test', 'prod'], { minLength: 1 }),
  app: some('shop', 'desk'),
  session_id: some('c-1', 'c-2'),
  end_user: some('ann', 'bob'),
  tag: some('beta', 'Größe "x"'),
}
const fields = fc.subarray(['env', 'cost_usd', 'tags', 'metadata', 'app', 'error'], { minLength: 1 })
const query = fc.record(
  {
    ...valueFilters,
    ...Object.fromEntries(Object.entries(valueFilters).map(([name, values]) => [`not_${name}`, values])),
    min_latency_ms: fc.constantFrom(5, 6, 1201),
    max_latency_ms: fc.constantFrom(0, 80),
    min_ttft_ms: fc.constant(2),
    max_cost_usd: fc.constantFrom(0, 0.1),
    min_cost_usd: fc.constantFrom(0.000001, 0.2),
    min_total_tokens: fc.constantFrom(0, 10),
    max_total_tokens: fc.constantFrom(9, 10),
    has: fields,
    has_no: fields,
    metadata: fc.subarray(['plan:pro', 'seats:3', 'beta:true', 'a.b:x:y'], { minLength: 1 }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Record<string, unknown>>
/** A few filters at a time, because many together match nothing. */
const fewFilters = fc
  .tuple(query, fc.integer({ min: 0, max: 2 }), fc.nat(20))
  .map(([all, count, skipped]) => {
    const entries = Object.entries(all)
    const start = entries.length === 0 ? 0 : skipped % entries.length
    return Object.fromEntries(entries.slice(start, start + count))
  })

/** The hash of an end user in these tests. */
const hashOf = (endUser: string) => `#${endUser.length}`

function valuesOf(run: Run, name: string): readonly (string | null)[] {
  if (name === 'tag') return run.tags ?? []
  const value = run[name as 'provider']
  return [value]
}

const hasPair = ({ metadata }: Run, pair: string): boolean => {
  const colon = pair.indexOf(':')
  return String(metadata?.[pair.slice(0, colon)]) === pair.slice(colon + 1)
}
const isSet = (run: Run, field: string): boolean => run[field as 'env'] !== null

/** Returns true if a run has one of these values. */
function hasAny(run: Run, field: string, list: readonly string[]): boolean {
  const accepted = field === 'end_user' ? list.flatMap((one) => [one, hashOf(one)]) : list
  return valuesOf(run, field).some((value) => value !== null && accepted.includes(value))
}

/** Returns true if a figure is set and compares as requested. */
function isInRange(run: Run, field: string, compares: (figure: number) => boolean): boolean {
  const figure = run[field as 'cost_usd']
  return figure !== null && compares(figure)
}

/** Reference implementation of one filter. */
function matchesFilter(run: Run, name: string, wanted: unknown): boolean {
  const list = wanted as string[]
  if (name === 'has') return list.every((field) => isSet(run, field))
  if (name === 'has_no') return list.every((field) => !isSet(run, field))
  if (name === 'metadata') return list.some((pair) => hasPair(run, pair))
  const [, kind = '', field = name] = /^(not|min|max)_(.*)$/.exec(name) ?? []
  if (kind === 'min') return isInRange(run, field, (figure) => figure >= (wanted as number))
  if (kind === 'max') return isInRange(run, field, (figure) => figure <= (wanted as number))
  return hasAny(run, field, list) === (kind === '')
}

const matches = (run: Run, filters: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(filters).every(([name, wanted]) => matchesFilter(run, name, wanted))

/** Reference implementation of the order: without a figure last, equal figures by id. */
function compare(sort: RunSort, a: Run, b: Run): number {
  const isDescending = sort.startsWith('-')
  const field = (isDescending ? sort.slice(1) : sort) as 'latency_ms' | 'cost_usd' | 'created_at'
  const sign = isDescending ? -1 : 1
  const [x, y] = [a[field], b[field]]
  if (x !== y && (x === null || y === null)) return x === null ? 1 : -1
  return sign * (x === y ? a.id - b.id : (x ?? 0) < (y ?? 0) ? -1 : 1)
}

/** Reads all pages by cursor. */
async function readPages(text: Readonly<Record<string, unknown>>, limit: number) {
  const seen: number[] = []
  const totals = new Set<number>()
  let cursor: string | undefined
  do {
    const page = await log.runs.list(log.ctx(), ListRunsQuery.parse({ ...text, limit, cursor }))
    seen.push(...page.data.map(({ id }) => id))
    totals.add(page.total)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return { seen, totals: [...totals] }
}

describe('compared with a reference that scans every run', () => {
  test('filters, exclusions, ranges, tags, metadata and sort orders match, page by page', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(report, { minLength: 1, maxLength: 40 }),
        fc.array(fewFilters, { minLength: 8, maxLength: 8 }),
        fc.constantFrom<RunSort>(
          '-latency_ms',
          'latency_ms',
          '-cost_usd',
          'cost_usd',
          '-total_tokens',
          'ttft_ms',
        ),
        fc.integer({ min: 1, max: 20 }),
        async (reports, queries, sort, limit) => {
          await reopen({})
          const all: Run[] = []
          for (const one of reports) all.push(await log.add(one))
          for (const filters of queries) {
            const expected = all.filter((run) => matches(run, filters))
            for (const order of ['-created_at', sort] as const) {
              const { seen, totals } = await readPages({ ...filters, sort: order }, limit)
              expect(seen).toEqual(expected.toSorted((a, b) => compare(order, a, b)).map(({ id }) => id))
              expect(totals).toEqual([expected.length])
            }
          }
          expect(log.errors).toEqual([])
        },
      ),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 10), endOnFailure: false },
    )
  }, 120_000)
})

test('a list sorted by a figure covers the last 30 days unless a period is given', async () => {
  const old = await log.add({ latency_ms: 900, created_at: new Date(noon - 31 * day).toISOString() })
  const recent = await log.add({ latency_ms: 10 })
  const ids = async (text: object) =>
    (await log.runs.list(log.ctx(), ListRunsQuery.parse(text))).data.map(({ id }) => id)
  expect(await ids({ sort: '-latency_ms' })).toEqual([recent.id])
  expect(await ids({ sort: '-latency_ms', from: '2026-01-01' })).toEqual([old.id, recent.id])
  expect(await ids({})).toEqual([recent.id, old.id])
})
