import type { z } from 'zod'
import { hasRole } from '../../../../contract/common/roles.ts'
import type {
  ListOwnRunsQuery,
  ResumeWorkflowBody,
  RunWorkflowBody,
  StepResult,
  WorkflowRun,
  WorkflowRunReply,
} from '../../../../contract/workflows/workflow-run.ts'
import type { WorkflowStep } from '../../../../contract/workflows/workflow-step.ts'
import type { Context } from '../../../lib/context.ts'
import { fail, invalid, serviceStopping } from '../../../lib/fail.ts'
import { roleIn } from '../../../lib/scope.ts'
import { runContextOf } from '../../../resources/run-context.ts'
import { cancellation, interruption } from './execution.ts'
import { notResumableReason } from './executions.read.ts'
import type { ExecutionRow, StepRow } from './executions.store.ts'
import {
  type ExecutionEvents,
  type ReadyWorkflow,
  requireRunnable,
  type Start,
  type StartDeps,
  startExecution,
} from './start.ts'

export type ExecutionsDeps = StartDeps & {
  /** Throws 404, or 422 that names `version`. */
  readonly findWorkflow: (ctx: Context, id: string, version?: number) => Promise<ReadyWorkflow>
}

const noop = () => undefined
const noEvents: ExecutionEvents = { emit: noop, onBegun: noop }

export type ExecutionsService = ReturnType<typeof createExecutionsService>

/** Runs workflows. Each execution is a record; its model calls are entries of the run log. */
export function createExecutionsService(deps: ExecutionsDeps) {
  const { activeExecutions, reader } = deps
  const closing = new AbortController()
  const unfinished = new Set<Promise<unknown>>()

  const start = async (ctx: Context, request: Start, disconnected: AbortSignal, events: ExecutionEvents) => {
    if (closing.signal.aborted) throw serviceStopping()
    const execution = startExecution(deps, ctx, request, { disconnected, closing: closing.signal }, events)
    unfinished.add(execution)
    return execution.finally(() => unfinished.delete(execution))
  }

  return {
    async run(
      ctx: Context,
      id: string,
      body: z.output<typeof RunWorkflowBody>,
      disconnected: AbortSignal,
      events: ExecutionEvents = noEvents,
    ): Promise<WorkflowRunReply> {
      const workflow = await deps.findWorkflow(ctx, id, body.version)
      await requireRunnable(deps, workflow, body.variables)
      const { variables, input, capture = null } = body
      const context = runContextOf(body)
      const notResumed = { earlier: new Map(), locations: new Map(), resumed: null }
      return start(ctx, { workflow, variables, input, capture, context, ...notResumed }, disconnected, events)
    },

    async resume(
      ctx: Context,
      id: string,
      body: z.output<typeof ResumeWorkflowBody>,
      disconnected: AbortSignal,
      events: ExecutionEvents = noEvents,
    ): Promise<WorkflowRunReply> {
      const context = runContextOf(body)
      const resumed = await prepareResume(deps, ctx, id)
      return start(ctx, { ...resumed, capture: body.capture ?? null, context }, disconnected, events)
    },

    /** Cancels an execution. Resolves when it has ended. */
    async cancel(ctx: Context, id: string): Promise<WorkflowRun> {
      const { row } = await required(deps, ctx, id)
      requireMayCancel(ctx, row)
      const active = activeExecutions.get(id)
      active?.controller.abort(cancellation())
      // Its errors are reported to the caller who started it.
      await active?.finished.catch(noop)
      const ended = await required(deps, ctx, id)
      return reader.wire(ended.row, ended.steps)
    },

    list: reader.list,
    get: reader.get,
    /** Lists the executions of a workflow. Throws 404 if the workflow does not exist. */
    async listOf(ctx: Context, workflowId: string, query: z.output<typeof ListOwnRunsQuery>) {
      if (await reader.isDeleted(workflowId)) throw fail('not_found', { detail: 'Workflow not found.' })
      await deps.findWorkflow(ctx, workflowId)
      return reader.list(ctx, { ...query, workflow_id: [workflowId] })
    },

    /** Ends unfinished executions as `interrupted`, also those that are just being stored. */
    async close(): Promise<void> {
      closing.abort()
      for (const { controller } of activeExecutions.values()) controller.abort(interruption())
      await Promise.allSettled(unfinished)
    },
  }
}

/** Returns an execution with its steps. Throws 404 if there is none. */
async function required(
  { reader }: Pick<ExecutionsDeps, 'reader'>,
  { scope }: Context,
  id: string,
): Promise<{ readonly row: ExecutionRow; readonly steps: readonly StepRow[] }> {
  const found = await reader.find(scope, id)
  if (found === null) throw fail('not_found', { detail: 'Execution not found.' })
  return found
}

/** Returns what a resumed execution reuses. Throws 422 if the execution cannot be resumed. */
async function prepareResume(
  deps: ExecutionsDeps,
  ctx: Context,
  id: string,
): Promise<Omit<Start, 'capture' | 'context'>> {
  const { reader, resumeCache } = deps
  const { row, steps } = await required(deps, ctx, id)
  const reason = notResumableReason(row, steps, {
    isCached: resumeCache.get(id) !== null,
    isDeleted: await reader.isDeleted(row.workflow_id),
  })
  if (reason !== null) throw invalid('id', `The execution cannot be resumed: ${reason}`)
  const earlier = await reader.earlier(row, steps)
  if (earlier === null)
    throw invalid('id', 'The execution cannot be resumed: the outputs of its steps are no longer stored')
  const { variables, input, results, locations } = earlier
  const workflow = await deps.findWorkflow(ctx, row.workflow_id, row.version)
  await requireRunnable(deps, workflow, variables)
  const step = row.failed_step ?? firstWithoutResult(workflow.steps, results)
  return { workflow, variables, input, earlier: results, locations, resumed: { from: id, step } }
}

/** Throws 403 if the actor neither started the execution nor is an editor. */
function requireMayCancel({ actor, scope }: Context, row: ExecutionRow): void {
  const { kind, id, name } = actor
  const role = roleIn(scope, row.workspace_id)
  const isStarter = row.user === name && row.user_id === id
  if (isStarter || (role !== null && hasRole(role, 'editor'))) return
  throw fail('auth.forbidden', {
    detail: `The execution was started by ${row.user}. Cancelling it requires the role editor; yours is ${role ?? kind}.`,
    requiredRole: 'editor',
  })
}

function firstWithoutResult(
  steps: readonly WorkflowStep[],
  results: ReadonlyMap<string, StepResult>,
): string | null {
  return steps.find(({ name }) => !results.has(name))?.name ?? null
}
