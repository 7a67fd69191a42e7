import type { Run, RunDetail } from '../../../../contract/runs/run.ts'
import { type ContentState, contentStates } from '../../../../contract/runs/run-content.ts'
import type { RunsTable } from '../../../db/schema/run-columns.ts'
import { runOwner } from '../payloads/capture.ts'
import type { Payload } from '../payloads/payload-line.ts'
import { runStore } from '../store/runs.store.ts'
import { allNameIdsOf, detailToWire } from '../store/runs.wire.ts'
import { type ExportQuery, runChunks } from './chunks.read.ts'
import { requireCompleteContent } from './content.read.ts'
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
  const { db, names, payloads } = deps
  const row = await runStore.get(db.read, id)
  if (row === undefined) return null
  const place = placeOf(row)
  const payload = place === null ? null : await payloads.read(place, [runOwner(row.id)])
  const nameOf = await names.loadTexts(db.read, allNameIdsOf(row))
  const content = { input: payload?.input ?? null, output: payload?.output ?? null }
  return detailToWire(row, { ...content, content_state: await contentStateOf(deps, row, payload) }, nameOf)
}

async function contentStateOf(
  { payloads }: ReaderDeps,
  row: RunsTable,
  payload: Payload | null,
): Promise<ContentState> {
  if (payload !== null) return 'captured'
  const place = placeOf(row)
  if (place === null) return contentStates[row.payload_state ?? -1] ?? 'unknown'
  return (await payloads.ends()).some(({ day }) => day === place.day) ? 'damaged' : 'removed'
}

/** Returns the location of a captured payload; null if nothing was captured. */
function placeOf({ payload_day: day, payload_offset: offset, payload_length: length }: RunsTable) {
  return day === null || offset === null || length === null ? null : { day, offset, length }
}
