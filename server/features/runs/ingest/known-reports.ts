import { prefersManyRows } from '../../../db/dialect/insert-rows.ts'
import type { Query } from '../../../db/types.ts'
import type { ReportColumn } from '../store/columns.ts'
import { fromReport } from '../store/forms.ts'
import { runStore } from '../store/runs.store.ts'
import type { NormalizedRun } from './normalize.ts'
import type { Submission } from './submission.ts'

/**
 * The runs that the log already has of the calls that a transaction reports: read with a statement per kind of id, and
 * extended by the runs that it adds. Null if the engine finds one at a time as quickly.
 */
export type KnownReports = {
  find(reporter: number, clientRunId: string): number | undefined
  /** Returns false if no run of any workspace has the response id or the span id of this run. */
  mayHaveCall(run: CallIds): boolean
  add(
    run: CallIds & {
      readonly id: number
      readonly reporter: number | null
      readonly client_run_id: string | null
    },
  ): void
}

const callColumns = ['response_id', 'span_id'] as const satisfies readonly ReportColumn[]
type CallIds = Pick<NormalizedRun, (typeof callColumns)[number]>
type IdColumn = (typeof callColumns)[number] | 'client_run_id'

/** Returns the different ids of the reports as they are stored, see `normalize`. */
function storedIds(submissions: readonly Submission[], column: IdColumn): string[] {
  const ids = submissions.flatMap(({ reports }) =>
    reports.flatMap(({ [column]: id }) => (id ? [String(fromReport(column, id))] : [])),
  )
  return [...new Set(ids)]
}
const keyOf = (reporter: number, clientRunId: string): string =>
  `${reporter} ${String(fromReport('client_run_id', clientRunId))}`

export async function loadKnownReports(
  q: Query,
  submissions: readonly Submission[],
): Promise<KnownReports | null> {
  if (!prefersManyRows(q)) return null
  const ids = new Map<string, number>()
  for (const row of await runStore.findAllReported(q, storedIds(submissions, 'client_run_id')))
    ids.set(keyOf(row.reporter, row.client_run_id), row.id)
  const calls = new Set<string>()
  for (const column of callColumns)
    for (const id of await runStore.usedIds(q, column, storedIds(submissions, column)))
      calls.add(`${column} ${id}`)
  return {
    find: (reporter, clientRunId) => ids.get(keyOf(reporter, clientRunId)),
    mayHaveCall: (run) =>
      callColumns.some((column) => run[column] !== null && calls.has(`${column} ${run[column]}`)),
    add(run) {
      if (run.client_run_id !== null && run.reporter !== null)
        ids.set(keyOf(run.reporter, run.client_run_id), run.id)
      for (const column of callColumns) calls.add(`${column} ${run[column]}`)
    },
  }
}
