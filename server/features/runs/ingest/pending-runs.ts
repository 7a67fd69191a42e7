import { insertRows, prefersManyRows } from '../../../db/dialect/insert-rows.ts'
import type { RunsTable } from '../../../db/schema/run-columns.ts'
import type { Query } from '../../../db/types.ts'
import { columnNames } from '../store/columns.ts'
import { runStore } from '../store/runs.store.ts'
import type { NormalizedRun } from './normalize.ts'

/**
 * The runs of a transaction that are not inserted yet. An engine on a network inserts all of them with one
 * statement. With other engines, `add` inserts each run immediately.
 */
export type PendingRuns = {
  add(row: RunsTable): Promise<void>
  /** Inserts the pending runs if one of them may belong to the same call as this run. */
  flushFor(run: NormalizedRun): Promise<void>
  flush(): Promise<void>
}

const table = { name: 'runs', columns: columnNames, key: ['id'] }

/** Returns the ids that identify the call of a run. */
const callsOf = ({
  response_id: response,
  trace_id: trace,
  span_id: span,
}: Pick<NormalizedRun, 'response_id' | 'trace_id' | 'span_id'>): string[] => [
  ...(response === null ? [] : [`response ${response}`]),
  ...(trace === null || span === null ? [] : [`span ${trace} ${span}`]),
]

export function createPendingRuns(q: Query): PendingRuns {
  const isBatched = prefersManyRows(q)
  let rows: RunsTable[] = []
  const calls = new Set<string>()

  const flush = async (): Promise<void> => {
    if (rows.length === 0) return
    const added = rows
    rows = []
    calls.clear()
    await insertRows(q, table, added)
  }
  return {
    async add(row) {
      if (!isBatched) {
        await runStore.insert(q, row)
        return
      }
      rows.push(row)
      for (const call of callsOf(row)) calls.add(call)
    },
    async flushFor(run) {
      if (callsOf(run).some((call) => calls.has(call))) await flush()
    },
    flush,
  }
}
