import {
  type Dimension,
  dimensions,
  type RunRollupsTable,
  type RunsTable,
  type SingleDimension,
  singleDimensions,
  summedColumns,
} from '../../../../db/schema/run-columns.ts'
import { recordOf } from '../../store/columns.ts'
import { floorTo, type SpanTier, tiers } from './calendar.ts'
import { bucketOf, newCounts, readInto, writeCounts } from './histogram.ts'

/**
 * Slices of a roll-up: 0 has all runs, 1 to 6 one base dimension each, 7 combinations of the base dimensions,
 * 8 to 13 one single dimension each. The slice of ref_key also has the environment, and that of the version
 * both: a key and a version are only unique with them.
 */
export const wholeSlice = 0
export const cellSlice = 7
export const sliceOf = (dimension: Dimension): number => dimensions.indexOf(dimension) + 1
export const singleSliceOf = (dimension: SingleDimension): number => 8 + singleDimensions.indexOf(dimension)

/** The single dimensions that are rolled up from hours on; the others, with many names, from days on. */
const hourlyDimensions: ReadonlySet<string> = new Set<SingleDimension>(['app', 'user', 'token', 'error_type'])
/** Returns the finest tier of a slice. */
export const finestOf = (dimension: SingleDimension): SpanTier =>
  hourlyDimensions.has(dimension) ? tiers.hour : tiers.day

export type Rollup = RunRollupsTable
/** A roll-up of one tier and slice. */
export type RollupRow = Omit<Rollup, 'tier' | 'slice'>
export const sumColumns = ['n', ...summedColumns, 'cost_unknown'] as const
export const keyColumns = ['tier', 'slice', 'start', ...dimensions, 'value', 'status'] as const
export type RollupKey = Pick<Rollup, (typeof keyColumns)[number]>
export const histogramColumns = ['latencies', 'ttfts'] as const
export type RollupMeasures = Pick<Rollup, (typeof sumColumns)[number] | (typeof histogramColumns)[number]>

/** The columns of a run that contribute to roll-ups. */
export const factColumns = [
  'id',
  'created_at',
  'status',
  ...dimensions,
  ...singleDimensions,
  ...summedColumns,
] as const
export type RunFacts = Pick<RunsTable, (typeof factColumns)[number]>

type Names = Record<Dimension, number>
const noNames = recordOf<Names>(dimensions, () => 0)

/** Returns the names of a run. A missing name is 0. */
const namesOf = (run: RunFacts): Names => recordOf<Names>(dimensions, (column) => run[column] ?? 0)

/** Returns the sums of one run, negative to subtract it. */
const sumsOf = (run: RunFacts, sign: 1 | -1): Omit<RollupMeasures, (typeof histogramColumns)[number]> => ({
  ...recordOf<Pick<Rollup, (typeof summedColumns)[number]>>(
    summedColumns,
    (column) => sign * (run[column] ?? 0),
  ),
  n: sign,
  cost_unknown: run.cost_nano === null ? sign : 0,
})

/** Returns the measures of one run, negative to subtract it. */
export const measuresOf = (run: RunFacts, sign: 1 | -1): RollupMeasures => ({
  ...sumsOf(run, sign),
  latencies: `${bucketOf(run.latency_us)}:${sign}`,
  ttfts: ttftsOf(run, sign),
})

/** Returns the histogram of the time to first token of one run; empty without one. */
const ttftsOf = ({ ttft_us }: Pick<RunFacts, 'ttft_us'>, sign: 1 | -1): string =>
  ttft_us === null ? '' : `${bucketOf(ttft_us)}:${sign}`

const noRollup = recordOf<Record<keyof Rollup, null>>(
  [...keyColumns, ...sumColumns, ...histogramColumns],
  () => null,
)

/** Changes of roll-ups, summed by key before they are written. */
export type Deltas = Map<string, Rollup>

const joinCounts = (a: string, b: string): string => (a === '' ? b : b === '' ? a : `${a} ${b}`)

/** Adds histograms to those of a change. */
export function joinHistograms(delta: Rollup, change: Pick<Rollup, (typeof histogramColumns)[number]>): void {
  for (const column of histogramColumns) delta[column] = joinCounts(delta[column], change[column])
}

/**
 * Adds a change. `id` identifies the key, which is only built if it is new: this runs about twenty times per
 * run.
 */
function addTo(deltas: Deltas, id: string, keyOf: () => RollupKey, change: RollupMeasures): void {
  const delta = deltas.get(id)
  if (delta === undefined) {
    // With the empty roll-up first, because V8 adds properties to a copy of an object slowly.
    deltas.set(id, { ...noRollup, ...change, ...keyOf() })
    return
  }
  for (const column of sumColumns) delta[column] += change[column]
  joinHistograms(delta, change)
}

const idOf = (row: Names & Pick<RollupKey, 'value' | 'status'>): string => {
  let text = `${row.status} ${row.value}`
  for (const dimension of dimensions) text += ` ${row[dimension]}`
  return text
}

const noSums = recordOf<Pick<Rollup, (typeof sumColumns)[number]>>(sumColumns, () => 0)

/** Returns only the measures of the time to first token of a run; null without one. */
export const ttftMeasuresOf = (run: RunFacts): RollupMeasures | null =>
  run.ttft_us === null ? null : { ...noSums, ttft_us: run.ttft_us, latencies: '', ttfts: ttftsOf(run, 1) }

/** Reused by `compactCounts`, which is called for nearly every roll-up that is written. */
const scratch = newCounts()

/** Merges repeated buckets of a histogram. */
function compactCounts(text: string): string {
  if (!text.includes(' ')) return text
  scratch.fill(0)
  readInto(scratch, text)
  return writeCounts(scratch)
}

/** Merges repeated buckets of the histograms of a change. */
export function compactHistograms(delta: Rollup): void {
  for (const column of histogramColumns) delta[column] = compactCounts(delta[column])
}

/**
 * Adds measures of a run to the hours of the base dimensions, and to the day of their combination. Combinations have
 * no hours, because they are nearly as many as runs; rows are read instead.
 */
export function countBase(hours: Deltas, days: Deltas, run: RunFacts, measures: RollupMeasures): void {
  const { status } = run
  const names = { ...namesOf(run), value: 0, status }
  const start = floorTo(tiers.hour, run.created_at)
  const tier = tiers.hour
  const time = `${start} ${status}`
  addTo(hours, time, () => ({ ...noNames, value: 0, tier, slice: wholeSlice, start, status }), measures)
  for (const dimension of dimensions) {
    const name = names[dimension]
    const env = dimension === 'ref_key' ? names.env : 0
    const slice = sliceOf(dimension)
    const key = () => ({ ...noNames, env, value: 0, tier, slice, start, [dimension]: name, status })
    addTo(hours, `${time} ${slice} ${name} ${env}`, key, measures)
  }
  const day = floorTo(tiers.day, run.created_at)
  const key = () => ({ ...names, tier: tiers.day, slice: cellSlice, start: day })
  addTo(days, `${day} ${cellSlice} ${idOf(names)}`, key, measures)
}

/** Adds measures of a run to the finest roll-ups of each single dimension. */
export function countSingles(hours: Deltas, days: Deltas, run: RunFacts, measures: RollupMeasures): void {
  const { status } = run
  for (const dimension of singleDimensions) {
    const tier = finestOf(dimension)
    const start = floorTo(tier, run.created_at)
    const slice = singleSliceOf(dimension)
    const value = run[dimension] ?? 0
    const [ref_key, env] = dimension === 'version' ? [run.ref_key ?? 0, run.env ?? 0] : [0, 0]
    const key = () => ({ ...noNames, ref_key, env, value, tier, slice, start, status })
    const id = `${slice} ${start} ${status} ${value} ${ref_key} ${env}`
    addTo(tier === tiers.hour ? hours : days, id, key, measures)
  }
}

/** Adds roll-ups of one tier to the next tier. */
export function addToTier(from: Deltas, into: Deltas, tier: SpanTier): void {
  for (const rollup of from.values()) {
    compactHistograms(rollup)
    const start = floorTo(tier, rollup.start)
    const key = () => ({ ...recordOf<RollupKey>(keyColumns, (column) => rollup[column]), tier, start })
    addTo(into, `${start} ${rollup.slice} ${idOf(rollup)}`, key, rollup)
  }
}
