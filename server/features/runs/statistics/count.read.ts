import type { Query } from '../../../db/types.ts'
import type { Piece } from './rollups/calendar.ts'
import { countedRuns } from './rollups/counted-runs.store.ts'
import { countRollups } from './rollups/rollups.read.ts'
import { countFacts, countPending } from './rows.read.ts'
import { coveredBy, rollupConditions, type Slice, type StatsRange } from './sources.ts'

/** Returns the number of matching runs in the pieces of a plan. Counts in SQL, because most pages need it. */
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
  const { base, singles } = await countedRuns(q)
  return count + (await countPending(q, covered, filter, slice.single === null ? base : singles))
}
