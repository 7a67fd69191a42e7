import { dimensions } from '../../../db/schema/run-columns.ts'
import type { Query } from '../../../db/types.ts'
import { createYield } from '../../../lib/async/yield.ts'
import type { NameFilter } from '../store/conditions.ts'
import { type Piece, tiers } from './calendar.ts'
import { cellSlice, wholeSlice } from './rollup.ts'
import { readRollups } from './rollups.read.ts'
import { readFacts } from './rows.read.ts'
import { partOf, type RollupRow } from './sums.ts'

/** The range and the filters of statistics, as ids; times are whole milliseconds. */
export type StatsRange = {
  readonly names: NameFilter
  readonly statuses: readonly number[] | undefined
  readonly from: number
  /** Exclusive. */
  readonly to: number
}
export type Pieces = readonly Piece[]
/** Receives roll-ups, and runs as roll-ups of one run. */
export type Sink = (part: RollupRow) => void

/** Reads the compacted roll-ups of a slice that cover the pieces. */
export async function readCompacted(
  q: Query,
  { names, statuses }: StatsRange,
  pieces: Pieces,
  slice: number,
  sink: Sink,
): Promise<void> {
  const yieldIfDue = createYield()
  const restriction = slice === wholeSlice ? {} : sliceNames(slice, names)
  for (const { tier, from, to } of pieces) {
    if (tier === 'rows') continue
    for await (const rows of readRollups(q, { tier, slice, from, to, names: restriction, statuses })) {
      for (const row of rows) sink(row)
      await yieldIfDue()
    }
  }
}

/** Reads the cells that are not yet compacted, and the runs of the pieces without roll-ups. */
export async function readUncompacted(
  q: Query,
  { names, statuses }: StatsRange,
  pieces: Pieces,
  sink: Sink,
): Promise<void> {
  const yieldIfDue = createYield()
  const covered = pieces.filter(({ tier }) => tier !== 'rows')
  const [first] = covered
  const last = covered.at(-1)
  if (first !== undefined && last !== undefined) {
    const span = { tier: tiers.pending, slice: cellSlice, from: first.from, to: last.to, names, statuses }
    for await (const rows of readRollups(q, span)) for (const row of rows) sink(row)
  }
  for (const { tier, from, to } of pieces) {
    if (tier !== 'rows') continue
    for await (const rows of readFacts(q, { from, to, names, statuses })) {
      for (const row of rows) sink(partOf(row))
      await yieldIfDue()
    }
  }
}

/** Returns the filter of a slice: the slice of a dimension contains only that dimension's names. */
function sliceNames(slice: number, names: NameFilter): NameFilter {
  if (slice === cellSlice) return names
  const dimension = dimensions[slice - 1]
  const ids = dimension === undefined ? undefined : names[dimension]
  return dimension === undefined || ids === undefined ? {} : { [dimension]: ids }
}
