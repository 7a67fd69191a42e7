import { setTimeout as pause } from 'node:timers/promises'
import type { Run, RunDetail } from '../../../../contract/runs/run.ts'
import { hasIntent } from '../../../calls/intents/intents.store.ts'
import type { RunsTable } from '../../../db/schema/run-columns.ts'
import type { Query } from '../../../db/types.ts'
import { createSharedResults, defaultSharedBytes } from '../../../lib/async/shared-results.ts'
import type { Scope } from '../../../lib/context.ts'
import { isVisible, keyOfScope } from '../../../lib/scope.ts'
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

/** `sharedBytes`: maximum size of the pages that readers share, in bytes of JSON; with 0, none is shared. */
export function createRunReader(deps: ReaderDeps, sharedBytes = defaultSharedBytes): RunReader {
  const pages = createSharedResults<RunPage>(() => deps.db.status().committed, sharedBytes)
  return {
    list(scope, query, now, signal) {
      if (!isFromStoreOnly(query)) return listRuns(deps, scope, query, now, signal)
      const key = `${keyOfScope(scope)} ${JSON.stringify(query)}`
      return pages.get(key, pages.version(), () => listRuns(deps, scope, query, now, undefined))
    },
    requireComplete: () => requireCompleteContent(deps.content),
    get: (scope, id) => get(deps, scope, id),
    chunks: (scope, query) => runChunks(deps, scope, query),
  }
}

/**
 * Returns true if a page depends on the query, the scope and the store only. A search in captured texts depends on files
 * too, and the period of a list that is sorted by a figure on the time.
 */
const isFromStoreOnly = ({ content, sort = '-created_at' }: ListQuery): boolean =>
  content === undefined && (sort === '-created_at' || sort === 'created_at')

async function get(deps: ReaderDeps, scope: Scope, id: number | string): Promise<RunDetail | null> {
  const { read } = deps.db
  const row = await (typeof id === 'number' ? runStore.get(read, id) : storedCall(read, id))
  if (row === undefined) return null
  const nameOf = await deps.names.loadTexts(deps.db.read, [row.workspace])
  return isVisible(scope, nameOf(row.workspace)) ? readDetail(deps, row) : null
}

/** Pauses in milliseconds between attempts to read the run of a call, which is stored shortly after its reply. */
const pausesMs = [10, 20, 40, 80, 160, 320]

/** Returns the run of a call. One that is still in progress after the pauses has none. */
async function storedCall(q: Query, callId: string): Promise<RunsTable | undefined> {
  for (const ms of pausesMs) {
    // Read before the run, because one transaction replaces the intent by the run.
    const isPending = await hasIntent(q, callId)
    const row = await runStore.getCall(q, callId)
    if (row !== undefined || !isPending) return row
    await pause(ms)
  }
  return runStore.getCall(q, callId)
}
