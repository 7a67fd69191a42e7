import type { Tx } from '../../../db/types.ts'
import type { Context } from '../../../lib/context.ts'
import { dayMs } from '../../../lib/durations.ts'
import type { NameDictionary } from '../store/names.store.ts'
import { runStore } from '../store/runs.store.ts'
import { reporterOf } from './insert-run.ts'
import type { KnownReports } from './known-reports.ts'
import type { NormalizedRun } from './normalize.ts'

/**
 * Milliseconds between two reports of one call. Providers do not repeat the id of a response; some substitutes of
 * tests do, and then calls of different days are different calls.
 */
const maxDistanceMs = dayMs

type Reports = { readonly tx: Tx; readonly names: NameDictionary; readonly known: KnownReports | null }

/** Returns the id of the first run of a reporter with this `client_run_id`. */
export async function findReported(
  { tx, names, known }: Reports,
  ctx: Context,
  clientRunId: string | null,
): Promise<number | undefined> {
  if (clientRunId === null) return undefined
  const reporter = await names.findId(tx.q, 'reporter', reporterOf(ctx))
  if (reporter === null) return undefined
  return known === null
    ? runStore.findReported(tx.q, reporter, clientRunId)
    : known.find(reporter, clientRunId)
}

/**
 * Returns the id of the run of the same call, which the gateway, an app or a telemetry exporter reported before: the
 * run of the workspace with the same response id, else with the same trace and span. A call of the service is compared
 * with reported runs only: its own calls differ, even if a cache repeats a response.
 */
export async function findSameCall(
  { tx, names, known }: Reports,
  run: NormalizedRun,
  isReported: boolean,
): Promise<number | undefined> {
  const { response_id: responseId, trace_id: traceId, span_id: spanId, created_at: at } = run
  const isSpan = traceId !== null && spanId !== null
  if (responseId === null && !isSpan) return undefined
  if (known?.mayHaveCall(run) === false) return undefined
  const workspace = await names.findId(tx.q, 'workspace', run.workspace)
  if (workspace === null) return undefined
  const reported = isReported ? 0 : 1
  if (responseId !== null) {
    const range = { from: at - maxDistanceMs, to: at + maxDistanceMs }
    const id = await runStore.findResponse(tx.q, { response_id: responseId, workspace, reported, ...range })
    if (id !== undefined) return id
  }
  return isSpan
    ? runStore.findSpan(tx.q, { trace_id: traceId, span_id: spanId, workspace, reported })
    : undefined
}
