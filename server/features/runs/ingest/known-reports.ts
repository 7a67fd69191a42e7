import { prefersManyRows } from '../../../db/dialect/insert-rows.ts'
import type { Query } from '../../../db/types.ts'
import { fromReport } from '../store/forms.ts'
import { runStore } from '../store/runs.store.ts'
import type { Submission } from './submission.ts'

/**
 * The ids of runs by reporter and `client_run_id`, for all reports of a transaction: read with one statement, and
 * extended by the runs that it adds. Null if the engine finds one at a time as quickly.
 */
export type KnownReports = {
  find(reporter: number, clientRunId: string): number | undefined
  add(reporter: number, clientRunId: string, id: number): void
}

/** Returns the id as it is stored, see `normalize`. */
const storedId = (clientRunId: string): string => String(fromReport('client_run_id', clientRunId))
const keyOf = (reporter: number, clientRunId: string): string => `${reporter} ${storedId(clientRunId)}`

export async function loadKnownReports(
  q: Query,
  submissions: readonly Submission[],
): Promise<KnownReports | null> {
  if (!prefersManyRows(q)) return null
  const clientRunIds = submissions.flatMap(({ reports }) =>
    reports.flatMap(({ client_run_id: id }) => (id ? [storedId(id)] : [])),
  )
  const ids = new Map<string, number>()
  for (const row of await runStore.findAllReported(q, [...new Set(clientRunIds)]))
    ids.set(keyOf(row.reporter, row.client_run_id), row.id)
  return {
    find: (reporter, clientRunId) => ids.get(keyOf(reporter, clientRunId)),
    add: (reporter, clientRunId, id) => void ids.set(keyOf(reporter, clientRunId), id),
  }
}
