import type { Run, RunDetail } from '../../../../contract/runs/run.ts'
import { runStore } from '../store/runs.store.ts'
import { type ExportQuery, runChunks } from './chunks.read.ts'
import { requireCompleteContent } from './content.read.ts'
import { readDetail } from './detail.read.ts'
import { type ListQuery, listRuns, type RunPage } from './list.read.ts'
import type { ReaderDeps } from './reader-deps.ts'

export type RunReader = {
  list(query: ListQuery, now: Date, signal?: AbortSignal): Promise<RunPage>
  get(id: number): Promise<RunDetail | null>
  /** Throws if captured texts are not all in the index, so that an export would lack runs. */
  requireComplete(): Promise<void>
  /** Yields every matching run, newest first, in chunks of a few hundred. */
  chunks(query: ExportQuery): AsyncGenerator<Run[]>
}

export const createRunReader = (deps: ReaderDeps): RunReader => ({
  list: (query, now, signal) => listRuns(deps, query, now, signal),
  requireComplete: () => requireCompleteContent(deps.content),
  get: (id) => get(deps, id),
  chunks: (query) => runChunks(deps, query),
})

async function get(deps: ReaderDeps, id: number): Promise<RunDetail | null> {
  const row = await runStore.get(deps.db.read, id)
  return row === undefined ? null : readDetail(deps, row)
}
