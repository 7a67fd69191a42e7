import type { z } from 'zod'
import type {
  ListWorkflowRunsQuery,
  StepResult,
  WorkflowRun,
  WorkflowRunDetail,
} from '../../../../contract/workflows/workflow-run.ts'
import type { WorkflowStep } from '../../../../contract/workflows/workflow-step.ts'
import type { Db, Query } from '../../../db/types.ts'
import type { Context, Scope } from '../../../lib/context.ts'
import { fail } from '../../../lib/fail.ts'
import { planPage, toPage } from '../../../lib/paging.ts'
import { isVisible } from '../../../lib/scope.ts'
import { emptyResult, flattenSteps } from '../engine/result.ts'
import type { CapturedTexts } from './captured-texts.ts'
import {
  type ExecutionRow,
  executionKeys,
  executionOrder,
  executionStore,
  type StepRow,
} from './executions.store.ts'
import { executionToWire, type PayloadLocation, payloadLocationOf, stepToWire } from './executions.wire.ts'
import type { ResumeCache, ResumeState } from './resume-cache.ts'

const isSuccessful = ({ status }: Pick<StepRow, 'status'>): boolean => status === 'ok' || status === 'skipped'
/** Returns true if a step has an output. A step in a branch that was not taken never started and has none. */
const hasOutput = (step: StepRow): boolean => isSuccessful(step) && step.started_at !== null

/** Returns the reason why an execution cannot be resumed; null if it can. */
export function notResumableReason(
  row: ExecutionRow,
  steps: readonly StepRow[],
  { isCached, isDeleted }: { readonly isCached: boolean; readonly isDeleted: boolean },
): string | null {
  if (row.status === 'running') return 'It is still running'
  if (row.status === 'ok') return 'It succeeded'
  if (isDeleted) return 'The workflow was deleted'
  if (isCached) return null
  if (row.capture !== 'full')
    return `The outputs of its steps were only stored in memory (capture is ${row.capture}) and are no longer available`
  const isComplete =
    row.payload_day !== null && steps.every((step) => !hasOutput(step) || step.payload_day !== null)
  return isComplete ? null : 'The outputs of its steps were too large to store'
}

/** The input and the results that a resumed execution reuses. */
export type EarlierResults = Pick<ResumeState, 'variables' | 'input'> & {
  readonly results: ReadonlyMap<string, StepResult>
  readonly locations: ReadonlyMap<string, PayloadLocation | null>
}

export type ReaderDeps = {
  readonly db: Db
  readonly texts: CapturedTexts
  readonly resumeCache: ResumeCache
  /** Returns those of the ids that are existing workflows. */
  readonly existing: (q: Query, ids: readonly string[]) => Promise<ReadonlySet<string>>
  /** Returns null if the version does not exist any more. */
  readonly stepsAt: (workflowId: string, version: number) => Promise<readonly WorkflowStep[] | null>
  /** Returns the names of the active steps of an execution. */
  readonly running: (id: string) => ReadonlySet<string>
}

export type ExecutionReader = ReturnType<typeof createExecutionReader>

export function createExecutionReader(deps: ReaderDeps) {
  return {
    find: (scope: Scope, id: string) => findExecution(deps, scope, id),
    wire: async (row: ExecutionRow, steps: readonly StepRow[]): Promise<WorkflowRun> =>
      rowToWire(deps, row, steps, await isDeleted(deps, row.workflow_id)),
    isDeleted: (workflowId: string) => isDeleted(deps, workflowId),
    list: (ctx: Context, query: z.output<typeof ListWorkflowRunsQuery>) =>
      listExecutions(deps, ctx.scope, query),
    /**
     * Returns an execution with its trace, also while it is active: steps without a result are `running` or
     * `not_run`.
     */
    get: (ctx: Context, id: string): Promise<WorkflowRunDetail> => getExecution(deps, ctx.scope, id),
    /**
     * Returns the earlier results from memory, or from complete captured texts; null if neither is available.
     */
    earlier: (row: ExecutionRow, steps: readonly StepRow[]): Promise<EarlierResults | null> =>
      readEarlier(deps, row, steps),
  }
}

const isDeleted = async ({ db, existing }: ReaderDeps, workflowId: string): Promise<boolean> =>
  !(await existing(db.read, [workflowId])).has(workflowId)

function rowToWire(
  { resumeCache }: ReaderDeps,
  row: ExecutionRow,
  steps: readonly StepRow[],
  isDeleted: boolean,
): WorkflowRun {
  const isCached = resumeCache.get(row.id) !== null
  return executionToWire(row, steps, notResumableReason(row, steps, { isCached, isDeleted }))
}

async function findExecution(
  { db }: ReaderDeps,
  scope: Scope,
  id: string,
): Promise<{ row: ExecutionRow; steps: StepRow[] } | null> {
  const row = await executionStore.find(db.read, id)
  if (row === undefined || !isVisible(scope, row.workspace_id)) return null
  return { row, steps: (await executionStore.stepsOf(db.read, [id])).get(id) ?? [] }
}

async function listExecutions(deps: ReaderDeps, scope: Scope, query: z.output<typeof ListWorkflowRunsQuery>) {
  const { db, existing } = deps
  const plan = planPage(query, executionOrder(query.sort ?? '-created_at'))
  const { rows, total } = await executionStore.list(db.read, scope, query, plan)
  const steps = await executionStore.stepsOf(
    db.read,
    rows.map(({ id }) => id),
  )
  const workflows = await existing(db.read, [...new Set(rows.map((row) => row.workflow_id))])
  return toPage(plan, rows, total, executionKeys, (row) =>
    rowToWire(deps, row, steps.get(row.id) ?? [], !workflows.has(row.workflow_id)),
  )
}

async function getExecution(deps: ReaderDeps, scope: Scope, id: string): Promise<WorkflowRunDetail> {
  const found = await findExecution(deps, scope, id)
  if (found === null) throw fail('not_found', { detail: 'Execution not found.' })
  const { row, steps } = found
  const trace = await traceOf(deps, row, steps)
  const inputTexts = await deps.texts.readInput(payloadLocationOf(row), row.id)
  // The output of a workflow is that of its last top-level step.
  const last = trace.findLast(({ parent }) => parent === null)
  return {
    ...rowToWire(deps, row, steps, await isDeleted(deps, row.workflow_id)),
    variables: inputTexts?.variables ?? null,
    input: inputTexts?.input ?? null,
    output: row.status === 'ok' ? (last?.output ?? null) : null,
    steps: trace,
  }
}

async function traceOf(
  deps: ReaderDeps,
  row: ExecutionRow,
  steps: readonly StepRow[],
): Promise<StepResult[]> {
  const ended = new Map<string, StepResult>()
  const owners = await lineageOf(deps, row)
  for (const step of steps) {
    const texts = await deps.texts.readStep(payloadLocationOf(step), step.name, owners)
    ended.set(step.name, { ...stepToWire(step), ...texts })
  }
  const running = deps.running(row.id)
  const workflow = await deps.stepsAt(row.workflow_id, row.version)
  if (workflow === null) return [...ended.values()]
  return flattenSteps(workflow).map(
    (place) =>
      ended.get(place.step.name) ?? emptyResult(place, running.has(place.step.name) ? 'running' : 'not_run'),
  )
}

/**
 * Returns the ids of the execution and of those it was resumed from, because reused steps share their
 * texts.
 */
async function lineageOf({ db }: ReaderDeps, row: ExecutionRow): Promise<string[]> {
  const lineage = [row.id]
  let from = row.resumed_from
  while (from !== null && !lineage.includes(from)) {
    lineage.push(from)
    from = (await executionStore.find(db.read, from))?.resumed_from ?? null
  }
  return lineage
}

async function readEarlier(
  deps: ReaderDeps,
  row: ExecutionRow,
  steps: readonly StepRow[],
): Promise<EarlierResults | null> {
  const cached = deps.resumeCache.get(row.id)
  if (cached === null && row.capture !== 'full') return null
  const inputTexts = cached ?? (await deps.texts.readInput(payloadLocationOf(row), row.id))
  if (inputTexts === null) return null
  const results = new Map<string, StepResult>()
  const owners = await lineageOf(deps, row)
  for (const step of steps.filter(isSuccessful)) {
    const result = await earlierResult(deps, step, owners, cached)
    if (result === null) return null
    results.set(step.name, result)
  }
  const locations = new Map(steps.map((step) => [step.name, payloadLocationOf(step)]))
  return { variables: inputTexts.variables, input: inputTexts.input, results, locations }
}

/** Returns the result of a successful step; null if its output is not available. */
async function earlierResult(
  { texts }: ReaderDeps,
  step: StepRow,
  owners: readonly string[],
  cached: ResumeState | null,
): Promise<StepResult | null> {
  const stored = await texts.readStep(payloadLocationOf(step), step.name, owners)
  if (cached !== null)
    return { ...stepToWire(step), ...stored, output: cached.outputs.get(step.name) ?? null }
  if (stored === null && hasOutput(step)) return null
  return { ...stepToWire(step), ...stored, output: stored?.output ?? null }
}
