import { prepareChange, prepareQuery } from '../../../../db/prepared.ts'
import type { Query } from '../../../../db/types.ts'
import { createYield } from '../../../../lib/async/yield.ts'
import { tiers } from './calendar.ts'
import {
  addHours,
  addToTier,
  countSingles,
  countTtft,
  type Deltas,
  factColumns,
  type RunFacts,
} from './rollup.ts'
import { writeDeltas } from './rollups.store.ts'

const readProgress = prepareQuery<Record<never, never>, { value: number }>((q) =>
  q.selectFrom('meta').select('value').where('key', '=', 'rolled_up_run_id'),
)
const setProgress = prepareChange<{ value: number }>((q, p) =>
  q
    .updateTable('meta')
    .set({ value: p('value') })
    .where('key', '=', 'rolled_up_run_id'),
)
const readTtftEnd = prepareQuery<Record<never, never>, { value: number }>((q) =>
  q.selectFrom('meta').select('value').where('key', '=', 'ttft_run_id'),
)
const runsAfter = prepareQuery<{ id: number; limit: number }, RunFacts>((q, p) =>
  q.selectFrom('runs').select(factColumns).where('id', '>', p('id')).orderBy('id').limit(p('limit')),
)

/** Returns the highest id of a run that the roll-ups of the single dimensions include. */
export async function rolledUpRunId(q: Query): Promise<number> {
  const [row] = await readProgress(q, {})
  return row?.value ?? 0
}

/**
 * Runs stored before migration 24: those after `from` up to `to` are in all other roll-ups without their time
 * to first token, which is added together with the single dimensions.
 */
export type TtftGap = { readonly from: number; readonly to: number }
export async function ttftGapOf(q: Query): Promise<TtftGap> {
  const [row] = await readTtftEnd(q, {})
  return { from: await rolledUpRunId(q), to: row?.value ?? 0 }
}
export const isInGap = (gap: TtftGap, id: number): boolean => id > gap.from && id <= gap.to

/** Maximum number of runs that one transaction adds. */
const maxRuns = 4000
/** Number of roll-ups in their finest tier at which a transaction ends: few if runs are in the same hours. */
const maxChanges = 1500
/** Limits for runs of the gap, which change three times as many roll-ups: about 50 ms of processor time. */
const gapLimits = { runs: 500, changes: 400 } as const

/**
 * Adds the next runs to the roll-ups of the single dimensions. Returns their number; 0 if none are left. Ingest
 * does not update these: the runs after the last one are read as rows.
 */
export async function compactRuns(q: Query): Promise<number> {
  const gap = await ttftGapOf(q)
  const limits = gap.from < gap.to ? gapLimits : { runs: maxRuns, changes: maxChanges }
  const runs = await runsAfter(q, { id: gap.from, limit: limits.runs })
  const added = await writeRuns(q, runs, 1, gap, limits.changes)
  const last = runs[added - 1]
  if (last !== undefined) await setProgress(q, { value: last.id })
  return added
}

/** Subtracts removed runs from the roll-ups of the single dimensions, as far as these include them. */
export async function subtractRuns(q: Query, removed: readonly RunFacts[]): Promise<void> {
  const progress = await rolledUpRunId(q)
  await writeRuns(
    q,
    removed.filter(({ id }) => id <= progress),
    -1,
    null,
  )
}

/**
 * Adds or subtracts runs until there are too many changes. Times to first token of `gap` are also added to the
 * other roll-ups. Returns the number of runs.
 */
async function writeRuns(
  q: Query,
  runs: readonly RunFacts[],
  sign: 1 | -1,
  gap: TtftGap | null,
  limit = Number.POSITIVE_INFINITY,
): Promise<number> {
  const [hours, days, months]: [Deltas, Deltas, Deltas] = [new Map(), new Map(), new Map()]
  const cells: Deltas = new Map()
  const yieldIfDue = createYield()
  let count = 0
  for (const run of runs) {
    if (hours.size + days.size + cells.size >= limit) break
    countSingles(hours, days, run, sign)
    if (gap !== null && isInGap(gap, run.id)) countTtft(cells, run)
    count += 1
    await yieldIfDue()
  }
  // Their cells were compacted before: `Compaction` adds runs after all cells.
  for (const cell of cells.values()) addHours(hours, cell)
  addToTier(hours, days, tiers.day)
  addToTier(cells, days, tiers.day)
  await yieldIfDue()
  addToTier(days, months, tiers.month)
  for (const deltas of [hours, days, months]) await writeDeltas(q, deltas, yieldIfDue)
  return count
}
