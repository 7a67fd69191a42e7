import { render } from '../../../../contract/formats/template.ts'
import { isReservedName } from '../../../../contract/formats/workflow-template.ts'
import type { CaptureMode } from '../../../../contract/models/models.ts'
import type { RunContext } from '../../../../contract/runs/run.ts'
import type { WorkflowRunReply } from '../../../../contract/workflows/workflow-run.ts'
import type { WorkflowStep } from '../../../../contract/workflows/workflow-step.ts'
import type { Calls } from '../../../calls/request/call.ts'
import type { Context } from '../../../lib/context.ts'
import { fail, Problem } from '../../../lib/fail.ts'
import type { NewId } from '../../../lib/ids.ts'
import { checkSteps, type HasProvider, missingProviders } from '../definition/check.ts'
import {
  type ActiveExecution,
  cancellation,
  type Emit,
  type ExecutionDeps,
  interruption,
  type Plan,
  runExecution,
} from './execution.ts'
import type { ExecutionReader } from './executions.read.ts'
import { type ExecutionRow, executionStore } from './executions.store.ts'
import { payloadColumns } from './executions.wire.ts'
import { createStepCalls, type FindAgent } from './step-calls.ts'

/** A version of a workflow with the data for a run. */
export type ReadyWorkflow = {
  readonly id: string
  readonly key: string
  readonly workspaceId: string
  readonly version: number
  readonly steps: readonly WorkflowStep[]
}

export type StartDeps = Omit<ExecutionDeps, 'callsOf' | 'toWire'> & {
  readonly newId: NewId
  /** Identifies this instance of the service. */
  readonly instanceId: string
  readonly calls: Calls
  readonly findAgent: FindAgent
  readonly hasAgent: (workspaceId: string, key: string) => Promise<boolean>
  readonly hasProvider: HasProvider
  /** Returns the capture mode of the workspace, lowered to `requested` if that is less. */
  readonly captureOf: (workspaceId: string, requested: CaptureMode | null) => Promise<CaptureMode>
  readonly activeExecutions: Map<string, ActiveExecution>
  /** Receives errors of the service that are not failures of a step. */
  readonly onError: (error: unknown) => void
  readonly reader: ExecutionReader
}

export type Start = Pick<Plan, 'variables' | 'input' | 'earlier' | 'locations'> & {
  readonly workflow: ReadyWorkflow
  readonly capture: CaptureMode | null
  readonly context: RunContext
  readonly resumed: { readonly from: string; readonly step: string | null } | null
}

/** Receives the events of an execution. `onBegun` is called after the first, so a reply always contains it. */
export type ExecutionEvents = { readonly emit: Emit; readonly onBegun: () => void }

/** Throws before the start for errors that would otherwise occur during the execution. */
export async function requireRunnable(
  { hasAgent, hasProvider }: Pick<StartDeps, 'hasAgent' | 'hasProvider'>,
  workflow: ReadyWorkflow,
  variables: Plan['variables'],
): Promise<void> {
  const checked = checkSteps(workflow.steps)
  const { variables: used, agents } = checked
  const errors = Object.keys(variables)
    .filter(isReservedName)
    .map((name) => ({ path: `variables.${name}`, message: 'The name is reserved for outputs of steps' }))
  // The providers existed when the steps were saved.
  for (const { path, message } of missingProviders(checked, hasProvider)) errors.push({ path, message })
  const rendered = render(used.map((name) => `{{${name}}}`).join(' '), variables)
  for (const name of rendered.missing)
    errors.push({ path: `variables.${name}`, message: `{{${name}}} has no value` })
  for (const { path, key } of agents) {
    if (!(await hasAgent(workflow.workspaceId, key)))
      errors.push({ path, message: `Agent ${key} not found in the workspace` })
  }
  const [first] = errors
  if (first === undefined) return
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  throw fail('request.invalid', { detail: `${first.path}: ${first.message}${more}`, errors })
}

/** `disconnected` cancels an execution; one that is stored after `closing` was aborted is interrupted. */
type Signals = { readonly disconnected: AbortSignal; readonly closing: AbortSignal }

/** Stores a new execution and runs it. */
export async function startExecution(
  deps: StartDeps,
  ctx: Context,
  start: Start,
  { disconnected, closing }: Signals,
  events: ExecutionEvents,
): Promise<WorkflowRunReply> {
  const row = await storeStart(deps, ctx, start)
  const controller = new AbortController()
  const running = new Set<string>()
  const cancel = () => controller.abort(cancellation())
  if (disconnected.aborted) cancel()
  if (closing.aborted) controller.abort(interruption())
  disconnected.addEventListener('abort', cancel, { once: true })
  const finished = runStarted(deps, ctx, row, start, { controller, running }, events)
    .catch((error: unknown): never => {
      if (!(error instanceof Problem)) deps.onError(error)
      throw error
    })
    .finally(() => {
      deps.activeExecutions.delete(row.id)
      disconnected.removeEventListener('abort', cancel)
    })
  deps.activeExecutions.set(row.id, { controller, running, finished })
  return finished
}

async function storeStart(deps: StartDeps, ctx: Context, start: Start): Promise<ExecutionRow> {
  const { db, bus, newId, instanceId, texts } = deps
  const { workflow, variables, input, resumed } = start
  const capture = await deps.captureOf(workflow.workspaceId, start.capture)
  const id = newId()
  const location = await texts.storeInput(id, ctx.now, capture, { variables, input })
  const row: ExecutionRow = {
    id,
    workflow_id: workflow.id,
    workflow_key: workflow.key,
    workspace_id: workflow.workspaceId,
    version: workflow.version,
    status: 'running',
    error: null,
    failed_step: null,
    user: ctx.actor.name,
    user_id: ctx.actor.id,
    capture,
    step_count: checkSteps(workflow.steps).count,
    resumed_from: resumed?.from ?? null,
    resumed_step: resumed?.step ?? null,
    request_id: ctx.requestId,
    created_at: ctx.now.getTime(),
    finished_at: null,
    latency_us: null,
    instance_id: instanceId,
    ...payloadColumns(location),
  }
  await db.write(async (tx) => {
    await executionStore.insert(tx.q, row)
    tx.afterCommit(() => bus.announce({ kind: 'runs', workspaceIds: [row.workspace_id] }))
  })
  return row
}

async function runStarted(
  deps: StartDeps,
  ctx: Context,
  row: ExecutionRow,
  { workflow, variables, input, earlier, locations, context }: Start,
  active: Pick<ActiveExecution, 'controller' | 'running'>,
  { emit, onBegun }: ExecutionEvents,
): Promise<WorkflowRunReply> {
  const { wire: toWire } = deps.reader
  const { key, workspaceId, version, steps } = workflow
  const callsOf = () => {
    const { id: parentId, capture } = row
    const origin = { workspaceId, refKey: key, version: `v${version}`, parentId, capture, context }
    return createStepCalls(ctx, origin, deps)
  }
  emit('started', { id: row.id, run: await toWire(row, []) })
  onBegun()
  const plan: Plan = { row, steps, variables, input, earlier, locations }
  return runExecution({ ...deps, callsOf, toWire }, ctx, plan, active, emit)
}
