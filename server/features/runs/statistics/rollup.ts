import {
  type Dimension,
  dimensions,
  type RunRollupsTable,
  type RunsTable,
  summedColumns,
} from '../../../db/schema/run-columns.ts'
import { recordOf } from '../store/columns.ts'
import { floorTo, type SpanTier, tiers } from './calendar.ts'
import { bucketOf, newCounts, readInto, writeCounts } from './histogram.ts'

/** Slices of a roll-up: 0 has all runs, 1 to 5 one dimension each, 6 combinations of all dimensions. */
export const wholeSlice = 0
export const cellSlice = 6
export const sliceOf = (dimension: Dimension): number => dimensions.indexOf(dimension) + 1

export type Rollup = RunRollupsTable
export const sumColumns = ['n', ...summedColumns, 'cost_unknown'] as const
export const keyColumns = ['tier', 'slice', 'start', ...dimensions, 'status'] as const
export type RollupKey = Pick<Rollup, (typeof keyColumns)[number]>
export type RollupMeasures = Pick<Rollup, (typeof sumColumns)[number] | 'latencies'>

/** The columns of a run that contribute to roll-ups. */
export const factColumns = ['created_at', 'status', ...dimensions, ...summedColumns] as const
export type RunFacts = Pick<RunsTable, (typeof factColumns)[number]>

type Names = Record<Dimension, number>
const noNames = recordOf<Names>(dimensions, () => 0)

/** Returns the names of a run. A run without ref_key has the name 0. */
export const namesOf = (run: RunFacts): Names => recordOf<Names>(dimensions, (column) => run[column] ?? 0)

/** Returns the measures of one run, negative to subtract it. */
export const measuresOf = (run: RunFacts, sign: 1 | -1): RollupMeasures => ({
  ...recordOf<Pick<Rollup, (typeof summedColumns)[number]>>(
    summedColumns,
    (column) => sign * (run[column] ?? 0),
  ),
  n: sign,
  cost_unknown: run.cost_nano === null ? sign : 0,
  latencies: `${bucketOf(run.latency_us)}:${sign}`,
})

/** Changes of roll-ups, summed by key before they are written. */
export type Deltas = Map<string, Rollup>

export const joinCounts = (a: string, b: string): string => (a === '' ? b : b === '' ? a : `${a} ${b}`)

/**
 * Adds a change. `id` identifies the key, which is only built if it is new: this runs about twenty times per
 * run.
 */
function addTo(deltas: Deltas, id: string, keyOf: () => RollupKey, change: RollupMeasures): void {
  const delta = deltas.get(id)
  if (delta === undefined) {
    deltas.set(id, { ...change, ...keyOf() })
    return
  }
  for (const column of sumColumns) delta[column] += change[column]
  delta.latencies = joinCounts(delta.latencies, change.latencies)
}

/** Returns the text of the names and the status. */
const idOf = (row: Names & { readonly status: number }): string => {
  let text = String(row.status)
  for (const dimension of dimensions) text += ` ${row[dimension]}`
  return text
}

/** Adds (`sign` 1) or subtracts (−1) a run: one cell per hour and combination of dimensions. */
export function countRun(deltas: Deltas, run: RunFacts, sign: 1 | -1): void {
  const start = floorTo(tiers.hour, run.created_at)
  const names = { ...namesOf(run), status: run.status }
  const key = () => ({ ...names, tier: tiers.pending, slice: cellSlice, start })
  addTo(deltas, `${start} ${idOf(names)}`, key, measuresOf(run, sign))
}

/** Reused by `compactCounts`, which is called for nearly every roll-up that is written. */
const scratch = newCounts()

/** Merges repeated buckets of a histogram. */
export function compactCounts(text: string): string {
  if (!text.includes(' ')) return text
  scratch.fill(0)
  readInto(scratch, text)
  return writeCounts(scratch)
}

/**
 * Adds a cell to the hourly roll-ups of each dimension. Combinations have no hourly roll-ups, because they
 * are nearly as many as runs; rows are read instead.
 */
export function addHours(hours: Deltas, cell: Rollup): void {
  const { start, status } = cell
  const tier = tiers.hour
  const time = `${start} ${status}`
  addTo(hours, time, () => ({ ...noNames, tier, slice: wholeSlice, start, status }), cell)
  for (const dimension of dimensions) {
    const name = cell[dimension]
    const slice = sliceOf(dimension)
    const key = () => ({ ...noNames, tier, slice, start, [dimension]: name, status })
    addTo(hours, `${time} ${slice} ${name}`, key, cell)
  }
}

/** Adds roll-ups of one tier, or cells, to the next tier. */
export function addToTier(from: Deltas | readonly Rollup[], into: Deltas, tier: SpanTier): void {
  for (const rollup of from.values()) {
    rollup.latencies = compactCounts(rollup.latencies)
    const start = floorTo(tier, rollup.start)
    const key = () => ({ ...recordOf<RollupKey>(keyColumns, (column) => rollup[column]), tier, start })
    addTo(into, `${start} ${rollup.slice} ${idOf(rollup)}`, key, rollup)
  }
}
