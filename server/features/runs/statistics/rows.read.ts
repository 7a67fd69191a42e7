import { sql } from 'kysely'
import { eitherForm } from '../../../db/dialect/either-form.ts'
import type { RunsTable } from '../../../db/schema/run-columns.ts'
import type { Query } from '../../../db/types.ts'
import { createYield } from '../../../lib/async/yield.ts'
import type { RunFilter } from '../store/filters.ts'
import { conditionsOf, matching, type Runs, runsAfter, runsIn } from '../store/matching.ts'
import { runStore } from '../store/runs.store.ts'
import { createWindows, type Span } from '../store/windows.ts'
import { countedRuns } from './rollups/counted-runs.store.ts'
import { factColumns, type RunFacts } from './rollups/rollup.ts'

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
  (await runStore.lastId(q)) - (await countedRuns(q)).singles > maxPending

/** SQLite would prefer the index of a filter, in which it would read all runs of a value. */
const runsById = sql<RunsTable>`runs`.as<'runs'>(
  eitherForm({ sqlite: sql`runs not indexed`, postgres: sql`runs` }),
)

/** Returns the matching runs of a span that are not in the roll-ups up to the id `after`. */
const pendingRuns = (q: Query, span: Span, filter: RunFilter, after: number): Runs =>
  matching(
    q
      .selectFrom(runsById)
      .where('id', '>', after)
      .where('created_at', '>=', span.from)
      .where('created_at', '<', span.to),
    conditionsOf(filter),
  )

/** Yields the matching runs of a span after an id, in the order of their ids. */
export async function* readPending(
  q: Query,
  span: Span,
  filter: RunFilter,
  counted: number,
): AsyncGenerator<RunFacts[]> {
  let rows: RunFacts[] = []
  do {
    const after = rows.at(-1)?.id ?? counted
    const runs = pendingRuns(q, span, filter, after)
    rows = await runs.select(factColumns).orderBy('id').limit(rowsPerStatement).execute()
    yield rows
  } while (rows.length === rowsPerStatement)
}

/** Returns the number of matching runs of a span after an id. */
export async function countPending(q: Query, span: Span, filter: RunFilter, after: number): Promise<number> {
  const [row] = await pendingRuns(q, span, filter, after)
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .execute()
  return row?.n ?? 0
}
