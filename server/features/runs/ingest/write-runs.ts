import type { RunReport } from '../../../../contract/runs/run.ts'
import type { CallRecord } from '../../../calls/intents/record.ts'
import type { Tx } from '../../../db/types.ts'
import type { Bus } from '../../../history/events/bus.ts'
import { createYield, type Yield } from '../../../lib/async/yield.ts'
import type { Context } from '../../../lib/context.ts'
import type { Problem } from '../../../lib/fail.ts'
import { findWorkspace } from '../../../resources/workspaces.read.ts'
import type { CapturedRuns } from '../payloads/capture.ts'
import type { Compaction } from '../statistics/compaction.ts'
import { countRun, type Deltas } from '../statistics/rollup.ts'
import { writeDeltas } from '../statistics/rollups.store.ts'
import type { NameDictionary } from '../store/names.store.ts'
import { runStore } from '../store/runs.store.ts'
import type { RunSettings } from '../store/settings.ts'
import { refusalOf } from './check-references.ts'
import { insertRun, reporterOf } from './insert-run.ts'
import { normalize } from './normalize.ts'
import type { StoredRun, Submission } from './submission.ts'

/** The stored runs of a submission, or the reason for its refusal. */
export type Result = readonly StoredRun[] | Problem

/** Writes the runs of submissions in one transaction. Returns a result for each submission. */
export type RunWriter = (
  tx: Tx,
  submissions: readonly Submission[],
  captured: CapturedRuns,
  settings: RunSettings,
) => Promise<Result[]>

type Deps = {
  readonly names: NameDictionary
  readonly bus: Bus
  readonly compaction: Pick<Compaction, 'added'>
  readonly clientIdOf: (ctx: Context) => string | null
  /** Called with the highest id that was assigned. */
  readonly onAssigned: (id: number) => void
}

/** The state of one transaction. */
type Writing = {
  readonly tx: Tx
  readonly names: NameDictionary
  readonly captured: CapturedRuns
  readonly settings: RunSettings
  readonly deltas: Deltas
  readonly yieldIfDue: Yield
  readonly workspaceIdOf: (idOrSlug: string) => Promise<string | null>
  lastId: number
  /** The latest time of a submission: the time of runs without one never decreases. */
  newest: number
}

export function createRunWriter(deps: Deps): RunWriter {
  let newest = 0

  return async (tx, submissions, captured, settings) => {
    const before = await runStore.lastId(tx.q)
    const writing: Writing = {
      tx,
      names: deps.names,
      captured,
      settings,
      deltas: new Map(),
      yieldIfDue: createYield(),
      workspaceIdOf: createWorkspaceLookup(tx),
      lastId: before,
      newest,
    }
    const results: Result[] = []
    for (const submission of submissions)
      results.push(await writeSubmission(writing, submission, deps.clientIdOf(submission.ctx)))
    newest = writing.newest
    if (writing.lastId > before) await finish(deps, writing)
    return results
  }
}

async function writeSubmission(
  writing: Writing,
  submission: Submission,
  clientId: string | null,
): Promise<Result> {
  const { tx, names } = writing
  const { reports, ctx, claim } = submission
  if (claim !== undefined && !(await claim(tx))) return []
  const workspaceIds = await Promise.all(
    reports.map((report) => writing.workspaceIdOf(report.workspace_id ?? 'default')),
  )
  const located = { ...submission, isOwnCall: claim !== undefined, workspaceIds }
  const isRepeated = async (id: string) => (await firstOf(writing, ctx, id)) !== undefined
  const refusal = await refusalOf(tx, names, located, isRepeated)
  if (refusal !== null) return refusal
  writing.newest = Math.max(writing.newest, ctx.now.getTime())
  const stored: StoredRun[] = []
  for (const [index, report] of reports.entries()) {
    const workspace = workspaceIds[index] ?? report.workspace_id ?? ''
    stored.push(await writeRun(writing, report, workspace, clientId, submission))
    await writing.yieldIfDue()
  }
  return stored
}

async function writeRun(
  writing: Writing,
  report: RunReport | CallRecord,
  workspace: string,
  clientId: string | null,
  { ctx, isBatch, isReported }: Submission,
): Promise<StoredRun> {
  const run = normalize(report, writing.newest, workspace, writing.settings)
  const repeated = await firstOf(writing, ctx, run.client_run_id)
  if (repeated !== undefined) return { id: repeated, run: null }
  const own = writing.captured.get(report)
  // After a retry, a reserved id may already be below the last assigned id.
  const id = own !== undefined && own.id > writing.lastId ? own.id : writing.lastId + 1
  writing.lastId = id
  const place = own?.id === id ? own.place : undefined
  const given = { id, run, ctx, isReported, clientId, place, isShown: !isBatch }
  const { stored, wire } = await insertRun(writing.tx, writing.names, given)
  countRun(writing.deltas, stored, 1)
  return { id, run: wire }
}

/** Stores what depends on all runs of the transaction. */
async function finish(deps: Deps, { tx, lastId, deltas, yieldIfDue }: Writing): Promise<void> {
  deps.onAssigned(lastId)
  await runStore.setLastId(tx.q, { value: lastId })
  const added = await writeDeltas(tx.q, deltas, yieldIfDue)
  tx.afterCommit(() => {
    deps.compaction.added(added)
    deps.bus.announce({ kind: 'runs' })
  })
}

/** Returns the id of the first run of a reporter with this `client_run_id`. */
async function firstOf(
  { tx, names }: Writing,
  ctx: Context,
  clientRunId: string | null,
): Promise<number | undefined> {
  if (clientRunId === null) return undefined
  const reporter = await names.findId(tx.q, 'reporter', reporterOf(ctx))
  return reporter === null ? undefined : runStore.findReported(tx.q, reporter, clientRunId)
}

/** Returns a look-up of ids of workspaces by id or slug, which reads each once. */
function createWorkspaceLookup(tx: Tx): Writing['workspaceIdOf'] {
  const known = new Map<string, string | null>()
  return async (idOrSlug) => {
    const stored = known.get(idOrSlug)
    if (stored !== undefined) return stored
    const id = (await findWorkspace(tx.q, idOrSlug))?.id ?? null
    known.set(idOrSlug, id)
    return id
  }
}
