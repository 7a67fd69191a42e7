import type { RunReport } from '../../../../contract/runs/run.ts'
import type { AddBudgetUsage, BudgetUse, CallRecord } from '../../../calls/intents/record.ts'
import type { NamedRun } from '../../../db/schema/run-columns.ts'
import type { Tx } from '../../../db/types.ts'
import type { Bus } from '../../../history/events/bus.ts'
import { createYield, type Yield } from '../../../lib/async/yield.ts'
import type { Context } from '../../../lib/context.ts'
import type { Problem } from '../../../lib/fail.ts'
import { everyWorkspace, isVisible } from '../../../lib/scope.ts'
import type { RequestClient } from '../../../resources/connected-client.ts'
import { maxAheadMs } from '../../../retention/stored-period.ts'
import { type CapturedRuns, withoutQuotedInput } from '../payloads/capture.ts'
import type { Payloads } from '../payloads/payload-files.ts'
import type { PayloadWriter } from '../payloads/stored/stage.ts'
import type { Compaction } from '../statistics/rollups/compaction.ts'
import type { NameDictionary } from '../store/names.store.ts'
import type { RunPartitions } from '../store/partitions.ts'
import { runStore } from '../store/runs.store.ts'
import type { RunSettings } from '../store/settings.ts'
import { refusalOf } from './check-references.ts'
import { findReported, findSameCall } from './find-first.ts'
import { insertRun } from './insert-run.ts'
import { type KnownReports, loadKnownReports } from './known-reports.ts'
import { type NormalizedRun, normalize } from './normalize.ts'
import { createPendingRuns, type PendingRuns } from './pending-runs.ts'
import { beginPlacing, placeRun } from './place-run.ts'
import type { StoredRun, Submission } from './submission.ts'
import { createWorkspaceLookup } from './workspace-lookup.ts'

/** The stored runs of a submission, or the problem for which it is rejected. */
export type SubmissionResult = readonly StoredRun[] | Problem

/** Writes the runs of submissions in one transaction. Returns a result for each submission. */
export type RunWriter = (
  tx: Tx,
  submissions: readonly Submission[],
  captured: CapturedRuns,
  settings: RunSettings,
) => Promise<SubmissionResult[]>

type Deps = {
  readonly names: NameDictionary
  readonly bus: Bus
  readonly compaction: Pick<Compaction, 'added'>
  readonly partitions: Pick<RunPartitions, 'ensure'>
  readonly payloads: Pick<Payloads, 'staged'>
  readonly clientOf: (ctx: Context) => RequestClient | null
  readonly hashEndUser: (endUser: string) => string
  /** Receives the runs of a transaction when they are on disk. */
  readonly onStored?: (runs: readonly NamedRun[]) => void
  /** Counts what calls with budgets used. */
  readonly addUsage?: AddBudgetUsage
  /** Called with the highest id that was assigned. */
  readonly onAssigned: (id: number) => void
}

/** The state of one transaction. */
type WriteState = {
  readonly tx: Tx
  readonly names: NameDictionary
  readonly partitions: Deps['partitions']
  readonly pending: PendingRuns
  readonly known: KnownReports | null
  readonly captured: CapturedRuns
  /** Null if no payload is stored in this transaction. */
  readonly payloadWriter: PayloadWriter | null
  readonly settings: RunSettings
  readonly hashEndUser: Deps['hashEndUser']
  readonly yieldIfDue: Yield
  readonly workspaceIdOf: (idOrSlug: string) => Promise<string | null>
  lastId: number
  /** Ids of the workspaces of the stored runs. */
  readonly workspaces: Set<string>
  /** The stored runs; null without `onStored`. */
  readonly stored: NamedRun[] | null
  /** The use of budgets by the calls of this transaction. */
  readonly used: Map<string, NonNullable<ReturnType<BudgetUse['get']>>>
  /** Number of runs stored. */
  count: number
  /**
   * The latest time of a submission, in epoch milliseconds: the time of runs without one. It decreases
   * only if the clock is corrected.
   */
  newest: number
}

export function createRunWriter(deps: Deps): RunWriter {
  let newest = 0

  return async (tx, submissions, captured, settings) => {
    const before = await runStore.lastId(tx.q)
    const state: WriteState = {
      tx,
      names: deps.names,
      partitions: deps.partitions,
      pending: createPendingRuns(tx.q),
      known: await loadKnownReports(tx.q, submissions),
      captured,
      payloadWriter: await beginPlacing(tx, deps.payloads.staged, submissions, captured),
      settings,
      hashEndUser: deps.hashEndUser,
      yieldIfDue: createYield(),
      workspaceIdOf: createWorkspaceLookup(tx.q),
      lastId: before,
      workspaces: new Set(),
      stored: deps.onStored === undefined ? null : [],
      used: new Map(),
      count: 0,
      newest,
    }
    const results: SubmissionResult[] = []
    for (const submission of submissions)
      results.push(await writeSubmission(state, submission, deps.clientOf(submission.ctx)))
    newest = state.newest
    if (state.lastId > before) await finish(deps, state)
    if (state.used.size > 0) await deps.addUsage?.(tx, state.used)
    return results
  }
}

async function writeSubmission(
  state: WriteState,
  submission: Submission,
  client: RequestClient | null,
): Promise<SubmissionResult> {
  const { tx, names } = state
  const { reports, ctx, claim } = submission
  if (claim !== undefined && !(await claim(tx))) return []
  const workspaceIds = await Promise.all(
    reports.map((report) => state.workspaceIdOf(report.workspace_id ?? 'default')),
  )
  const hasClaim = claim !== undefined
  // The run of a call that the service made is stored even if the access of its caller has changed since.
  const scope = hasClaim ? everyWorkspace : ctx.scope
  const visible = workspaceIds.map((id) => (id !== null && isVisible(scope, id) ? id : null))
  const located = { ...submission, hasClaim, workspaceIds: visible }
  const isRepeated = async (id: string) => (await findReported(state, ctx, id)) !== undefined
  if (reports.some((report) => 'parent_id' in report && report.parent_id)) await state.pending.flush()
  const refusal = await refusalOf(tx, names, located, isRepeated)
  if (refusal !== null) return refusal
  const now = ctx.now.getTime()
  // A larger step corrects a clock that was ahead.
  state.newest = now < state.newest - maxAheadMs ? now : Math.max(state.newest, now)
  const stored: StoredRun[] = []
  for (const [index, report] of reports.entries()) {
    const workspace = workspaceIds[index] ?? report.workspace_id ?? ''
    stored.push(await writeRun(state, report, workspace, client, submission))
    await state.yieldIfDue()
  }
  return stored
}

/** Returns the id of the run that was stored for the same report or call. */
async function findFirst(
  state: WriteState,
  ctx: Context,
  run: NormalizedRun,
  isReported: boolean,
): Promise<number | undefined> {
  await state.pending.flushFor(run)
  return (await findReported(state, ctx, run.client_run_id)) ?? findSameCall(state, run, isReported)
}

/**
 * Returns the first run of a repeated report. Stores the call id in that run, because the caller of the
 * gateway received it in the reply.
 */
async function repeated({ tx, pending }: WriteState, id: number, callId: string | null): Promise<StoredRun> {
  if (callId !== null) {
    await pending.flush()
    await runStore.setCallId(tx.q, { id, call_id: callId })
  }
  return { id, run: null }
}

async function writeRun(
  state: WriteState,
  report: RunReport | CallRecord,
  workspace: string,
  client: RequestClient | null,
  { ctx, isBatch, isReported }: Submission,
): Promise<StoredRun> {
  const captured = state.captured.results.get(report) ?? 'failed'
  const normalized = normalize(report, state.newest, workspace, state.settings, state.hashEndUser)
  const run = withoutQuotedInput(normalized, report, state.captured.modes.get(report))
  countUse(state, report, run)
  const callId = ('callId' in report ? report.callId : undefined) ?? null
  const firstId = await findFirst(state, ctx, run, isReported)
  if (firstId !== undefined) return repeated(state, firstId, callId)
  const { id, location, contentState } = placeRun(state.payloadWriter, captured, state.lastId, run.created_at)
  state.lastId = id
  const newRun = {
    id,
    run,
    ctx,
    isReported,
    client,
    location,
    contentState,
    callId,
    replyMark: ('replyMark' in report ? report.replyMark : undefined) ?? null,
    isInReply: !isBatch,
  }
  await state.partitions.ensure(state.tx, run.created_at)
  const { stored, named, wire } = await insertRun(state.tx, state.names, newRun, state.pending)
  state.known?.add(stored)
  state.stored?.push(named)
  state.count += 1
  state.workspaces.add(workspace)
  return { id, run: wire }
}

/** Counts what a call used, also if an app reported its run before. */
function countUse({ used }: WriteState, report: RunReport | CallRecord, run: NormalizedRun): void {
  const counters = ('counters' in report ? report.counters : undefined) ?? []
  for (const counter of counters) {
    const name = `${counter.owner} ${counter.day}`
    const { tokens = 0, cost_nano = 0 } = used.get(name) ?? {}
    used.set(name, {
      ...counter,
      tokens: tokens + (run.total_tokens ?? 0),
      cost_nano: cost_nano + (run.cost_nano ?? 0),
    })
  }
}

/** Stores what depends on all runs of the transaction. */
async function finish(
  deps: Deps,
  { tx, count, lastId, workspaces, stored, pending, payloadWriter }: WriteState,
): Promise<void> {
  await pending.flush()
  await payloadWriter?.flush()
  deps.onAssigned(lastId)
  await runStore.setLastId(tx.q, { value: lastId })
  tx.afterCommit(() => {
    deps.compaction.added(count)
    if (stored !== null) deps.onStored?.(stored)
    deps.bus.announce({ kind: 'runs', workspaceIds: [...workspaces] })
  })
}
