import type { z } from 'zod'
import type { CaptureMode } from '../../../contract/models.ts'
import { hasRole } from '../../../contract/roles.ts'
import { render } from '../../../contract/template.ts'
import type {
  ListOwnRunsQuery,
  ResumeWorkflowBody,
  RunWorkflowBody,
  StepResult,
  WorkflowRun,
  WorkflowRunReply,
} from '../../../contract/workflow-run.ts'
import type { WorkflowStep } from '../../../contract/workflow-step.ts'
import { isReservedName } from '../../../contract/workflow-template.ts'
import type { Calls } from '../../calls/call.ts'
import type { Context } from '../../lib/context.ts'
import { fail, invalid, Problem } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { checkSteps } from './check.ts'
import {
  cancellation,
  carryOut,
  type Emit,
  type ExecutionDeps,
  interruption,
  type Live,
  type Plan,
} from './execution.ts'
import { type ExecutionReader, whyNotResumable } from './executions.read.ts'
import { type ExecutionRow, executionStore } from './executions.store.ts'
import { placeColumns } from './executions.wire.ts'
import { createStepCalls, type FindAgent } from './world.ts'

/** A version of a workflow with the data for a run. */
export type ReadyWorkflow = {
  readonly id: string
  readonly key: string
  readonly workspaceId: string
  readonly version: number
  readonly steps: readonly WorkflowStep[]
}

export type ExecutionsDeps = Omit<ExecutionDeps, 'callsOf' | 'toWire'> & {
  readonly newId: NewId
  readonly calls: Calls
  readonly findAgent: FindAgent
  readonly hasAgent: (workspaceId: string, key: string) => Promise<boolean>
  /** Throws 404, or 422 that names `version`. */
  readonly findWorkflow: (ctx: Context, id: string, version?: number) => Promise<ReadyWorkflow>
  /** Returns the capture mode of the workspace, lowered to `asked` if that is less. */
  readonly captureOf: (workspaceId: string, asked: CaptureMode | null) => Promise<CaptureMode>
  readonly live: Map<string, Live>
  /** Receives errors of the service that are not failures of a step. */
  readonly onError: (error: unknown) => void
  readonly reader: ExecutionReader
}

const noop = () => undefined
/** Receives the events of an execution. */
export type Teller = { readonly tell: Emit; readonly onBegun: () => void }
const silent: Teller = { tell: noop, onBegun: noop }
const missing = () => fail('not_found', { detail: 'There is no such execution.' })

export type ExecutionsService = ReturnType<typeof createExecutionsService>

/** Runs workflows. Each execution is a record; its model calls are entries of the run log. */
export function createExecutionsService(deps: ExecutionsDeps) {
  const { db, bus, newId, keeping, memory, live, reader } = deps
  const { calls, findAgent } = deps
  let isClosing = false

  /** Throws before the start for errors that would otherwise occur during the execution. */
  async function requireRunnable(workflow: ReadyWorkflow, variables: Plan['variables']): Promise<void> {
    const { variables: used, agents } = checkSteps(workflow.steps)
    const errors = Object.keys(variables)
      .filter(isReservedName)
      .map((name) => ({ path: `variables.${name}`, message: 'The name is reserved for outputs of steps' }))
    const given = render(used.map((name) => `{{${name}}}`).join(' '), variables)
    for (const name of given.missing)
      errors.push({ path: `variables.${name}`, message: `{{${name}}} has no value` })
    for (const { path, key } of agents) {
      if (!(await deps.hasAgent(workflow.workspaceId, key)))
        errors.push({ path, message: `There is no agent ${key} in the workspace` })
    }
    const [first] = errors
    if (first === undefined) return
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
    throw fail('request.invalid', { detail: `${first.path}: ${first.message}${more}`, errors })
  }

  async function begin(
    ctx: Context,
    workflow: ReadyWorkflow,
    given: Pick<Plan, 'variables' | 'input' | 'earlier' | 'places'> & {
      readonly capture: CaptureMode | null
      readonly resumed: { readonly from: string; readonly step: string | null } | null
    },
    leaving: AbortSignal,
    { tell, onBegun }: Teller,
  ): Promise<WorkflowRunReply> {
    if (isClosing) throw fail('store.unavailable', { detail: 'The service is stopping.' })
    const { id: workflowId, key, workspaceId, version, steps } = workflow
    const { variables, input, earlier, places, resumed } = given
    const capture = await deps.captureOf(workspaceId, given.capture)
    const id = newId()
    const place = await keeping.given(id, ctx.now, capture, { variables, input })
    const row: ExecutionRow = {
      id,
      workflow_id: workflowId,
      workflow_key: key,
      workspace_id: workspaceId,
      version,
      status: 'running',
      error: null,
      failed_step: null,
      user: ctx.actor.name,
      user_id: ctx.actor.id,
      capture,
      step_count: checkSteps(steps).count,
      resumed_from: resumed?.from ?? null,
      resumed_step: resumed?.step ?? null,
      request_id: ctx.requestId,
      created_at: ctx.now.getTime(),
      finished_at: null,
      latency_us: null,
      ...placeColumns(place),
    }
    await db.write(async (tx) => {
      await executionStore.insert(tx.q, row)
      tx.afterCommit(() => bus.announce({ kind: 'runs' }))
    })
    const controller = new AbortController()
    const running = new Set<string>()
    const leave = () => controller.abort(cancellation())
    if (leaving.aborted) leave()
    leaving.addEventListener('abort', leave, { once: true })
    const callsOf = () => {
      const origin = { workspaceId, refKey: key, version: `v${version}`, parentId: row.id, capture }
      return createStepCalls(ctx, origin, { calls, findAgent })
    }
    const toWire = reader.wire
    const work = async () => {
      tell('started', { id: row.id, run: await toWire(row, []) })
      onBegun()
      const plan: Plan = { row, steps, variables, input, earlier, places }
      return carryOut({ ...deps, callsOf, toWire }, ctx, plan, { controller, running }, tell)
    }
    const noticed = (error: unknown): never => {
      if (!(error instanceof Problem)) deps.onError(error)
      throw error
    }
    const finished = work()
      .catch(noticed)
      .finally(() => {
        live.delete(row.id)
        leaving.removeEventListener('abort', leave)
      })
    live.set(row.id, { controller, running, finished })
    return finished
  }

  return {
    async run(
      ctx: Context,
      id: string,
      body: z.output<typeof RunWorkflowBody>,
      leaving: AbortSignal,
      teller: Teller = silent,
    ): Promise<WorkflowRunReply> {
      const workflow = await deps.findWorkflow(ctx, id, body.version)
      await requireRunnable(workflow, body.variables)
      const { variables, input, capture = null } = body
      const given = { variables, input, capture, earlier: new Map(), places: new Map(), resumed: null }
      return begin(ctx, workflow, given, leaving, teller)
    },

    async resume(
      ctx: Context,
      id: string,
      body: z.output<typeof ResumeWorkflowBody>,
      leaving: AbortSignal,
      teller: Teller = silent,
    ): Promise<WorkflowRunReply> {
      const found = await reader.find(id)
      if (found === null) throw missing()
      const { row, steps } = found
      const reason = whyNotResumable(row, steps, {
        isRemembered: memory.get(id) !== null,
        isDeleted: await reader.isDeleted(row.workflow_id),
      })
      if (reason !== null) throw invalid('id', `The execution cannot be resumed: ${reason}`)
      const earlier = await reader.earlier(row, steps)
      if (earlier === null)
        throw invalid('id', 'The execution cannot be resumed: the outputs of its steps are no longer stored')
      const workflow = await deps.findWorkflow(ctx, row.workflow_id, row.version)
      await requireRunnable(workflow, earlier.variables)
      const step = row.failed_step ?? firstToDo(workflow.steps, earlier.results)
      const { variables, input, results, places } = earlier
      const given = { variables, input, earlier: results, places, capture: body.capture ?? null }
      return begin(ctx, workflow, { ...given, resumed: { from: id, step } }, leaving, teller)
    },

    /** Cancels an execution. Resolves when it has ended. */
    async cancel(ctx: Context, id: string): Promise<WorkflowRun> {
      const found = await reader.find(id)
      if (found === null) throw missing()
      const { kind, id: actorId, name, role } = ctx.actor
      const isOwn = found.row.user === name && found.row.user_id === actorId
      if (!isOwn && !(role !== null && hasRole(role, 'editor')))
        throw fail('auth.forbidden', {
          detail: `The execution was started by ${found.row.user}. Cancelling it requires the role editor; yours is ${role ?? kind}.`,
          requiredRole: 'editor',
        })
      const underWay = live.get(id)
      underWay?.controller.abort(cancellation())
      // Its errors are reported to the caller who started it.
      await underWay?.finished.catch(noop)
      const now = await reader.find(id)
      if (now === null) throw missing()
      return reader.wire(now.row, now.steps)
    },

    list: reader.list,
    get: reader.get,
    /** Lists the executions of a workflow. Throws 404 if there is no such workflow. */
    async listOf(ctx: Context, workflowId: string, query: z.output<typeof ListOwnRunsQuery>) {
      if (await reader.isDeleted(workflowId))
        throw fail('not_found', { detail: 'There is no such workflow.' })
      return reader.list(ctx, { ...query, workflow_id: [workflowId] })
    },

    /** Ends active executions as `interrupted`. */
    async close(): Promise<void> {
      isClosing = true
      const underWay = [...live.values()]
      for (const { controller } of underWay) controller.abort(interruption())
      await Promise.all(underWay.map(({ finished }) => finished.catch(noop)))
    },
  }
}

/** Returns the first step without a result, or null. */
function firstToDo(steps: readonly WorkflowStep[], results: ReadonlyMap<string, StepResult>): string | null {
  return steps.find(({ name }) => !results.has(name))?.name ?? null
}
