import type { Run, RunDetail } from '../../../../contract/runs/run.ts'
import type { Scope } from '../../../lib/context.ts'
import { isVisible } from '../../../lib/scope.ts'
import { runStore } from '../store/runs.store.ts'
import { type ExportQuery, runChunks } from './chunks.read.ts'
import { requireCompleteContent } from './content.read.ts'
import { readDetail } from './detail.read.ts'
import { type ListQuery, listRuns, type RunPage } from './list.read.ts'
import type { ReaderDeps } from './reader-deps.ts'

export type RunReader = {
  list(scope: Scope, query: ListQuery, now: Date, signal?: AbortSignal): Promise<RunPage>
  /** Finds a run by its id, or by the id of a call through the gateway. */
  get(scope: Scope, id: number | string): Promise<RunDetail | null>
  /** Throws if captured texts are not all in the index, so that an export would lack runs. */
  requireComplete(): Promise<void>
  /** Yields every matching run, newest first, in chunks of a few hundred. */
  chunks(scope: Scope, query: ExportQuery): AsyncGenerator<Run[]>
}

export const createRunReader = (deps: ReaderDeps): RunReader => ({
  list: (scope, query, now, signal) => listRuns(deps, scope, query, now, signal),
  requireComplete: () => requireCompleteContent(deps.content),
  get: (scope, id) => get(deps, scope, id),
  chunks: (scope, query) => runChunks(deps, scope, query),
})

async function get(deps: ReaderDeps, scope: Scope, id: number | string): Promise<RunDetail | null> {
  const { read } = deps.db
  const row = await (typeof id === 'number' ? runStore.get(read, id) : runStore.getCall(read, id))
  if (row === undefined) return null
  const nameOf = await deps.names.loadTexts(deps.db.read, [row.workspace])
  return isVisible(scope, nameOf(row.workspace)) ? readDetail(deps, row) : null
}
