import type { Query } from '../../../db/types.ts'
import { type Piece, tiers } from './rollups/calendar.ts'
import { cellSlice } from './rollups/rollup.ts'
import { countRollups } from './rollups/rollups.read.ts'
import { countFacts, readPending } from './rows.read.ts'
import { coveredBy, rollupConditions, type Slice, type StatsRange } from './sources.ts'

/**
 * Returns the number of matching runs in the pieces of a plan. Counts in SQL: a page of 50 runs spent a third of its
 * processor time on reading 1,000 cells that were not compacted yet.
 */
export async function countParts(
  q: Query,
  { filter }: StatsRange,
  slice: Slice,
  pieces: readonly Piece[],
): Promise<number> {
  const conditions = rollupConditions(filter, slice.single)
  let count = 0
  for (const { tier, from, to } of pieces)
    count +=
      tier === 'rows'
        ? await countFacts(q, { from, to }, filter)
        : await countRollups(q, { tier, slice: slice.slice, from, to, conditions })
  const covered = coveredBy(pieces)
  if (covered === null) return count
  if (slice.single === null) {
    const pending = { ...covered, tier: tiers.pending, slice: cellSlice }
    return count + (await countRollups(q, { ...pending, conditions: rollupConditions(filter, null) }))
  }
  for await (const runs of readPending(q, covered, filter)) count += runs.length
  return count
}
