import { withoutIndex } from '../../../db/dialect/expressions.ts'
import type { Query } from '../../../db/types.ts'
import { createYield } from '../../../lib/async/yield.ts'
import type { RunFilter } from '../store/filters.ts'
import { conditionsOf, matching, runsAfter, runsIn } from '../store/matching.ts'
import { runStore } from '../store/runs.store.ts'
import { createWindows, type Span } from '../store/windows.ts'
import { factColumns, type RunFacts } from './rollups/rollup.ts'
import { rolledUpRunId } from './rollups/singles.store.ts'

/** Maximum number of runs that one statement returns. Takes about 10 ms. */
const rowsPerStatement = 1000

/** Yields the matching runs created in a span, newest first. */
export type ReadFacts = (span: Span, filter: RunFilter) => AsyncIterable<RunFacts[]>

/** Yields the matching runs created in a span, newest first, with bounded statements. */
export async function* readFacts(q: Query, span: Span, filter: RunFilter): AsyncGenerator<RunFacts[]> {
  const conditions = conditionsOf(filter)
  const windows = createWindows(span, 'desc')
  const yieldIfDue = createYield()
  for (let window = windows.next(); window !== null; window = windows.next()) {
    let last: RunFacts | undefined
    let rows: RunFacts[]
    do {
      const startedAt = performance.now()
      const runs = last === undefined ? runsIn(q, window) : runsAfter(q, window, 'desc', last)
      rows = await matching(runs, conditions)
        .select(factColumns)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(rowsPerStatement)
        .execute()
      windows.adjust(performance.now() - startedAt)
      last = rows.at(-1)
      if (rows.length > 0) yield rows
      await yieldIfDue()
    } while (rows.length === rowsPerStatement)
  }
}

/** Returns the number of matching runs created in a span, with bounded statements. */
export async function countFacts(q: Query, span: Span, filter: RunFilter): Promise<number> {
  const conditions = conditionsOf(filter)
  const windows = createWindows(span, 'desc')
  const yieldIfDue = createYield()
  let count = 0
  for (let window = windows.next(); window !== null; window = windows.next()) {
    const startedAt = performance.now()
    const [row] = await matching(runsIn(q, window), conditions)
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .execute()
    windows.adjust(performance.now() - startedAt)
    count += row?.n ?? 0
    await yieldIfDue()
  }
  return count
}

/**
 * Maximum number of runs that statistics read in addition to roll-ups. There are more only after an upgrade,
 * while older runs are added to the roll-ups of single dimensions.
 */
const maxPending = 10_000

/** Returns true if the roll-ups of single dimensions lack too many runs to read these as rows. */
export const isBehind = async (q: Query): Promise<boolean> =>
  (await runStore.lastId(q)) - (await rolledUpRunId(q)) > maxPending

/** Yields the matching runs of a span that the roll-ups of single dimensions do not include. */
export async function* readPending(q: Query, span: Span, filter: RunFilter): AsyncGenerator<RunFacts[]> {
  const lastId = await runStore.lastId(q)
  const conditions = conditionsOf(filter)
  for (let after = await rolledUpRunId(q); after < lastId; after += rowsPerStatement) {
    const runs = q
      .selectFrom('runs')
      .where('id', '>', after)
      .where('id', '<=', after + rowsPerStatement)
      .where(withoutIndex('created_at'), '>=', span.from)
      .where(withoutIndex('created_at'), '<', span.to)
    yield await matching(runs, conditions).select(factColumns).execute()
  }
}
