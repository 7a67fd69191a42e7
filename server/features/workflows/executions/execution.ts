import type {
  StepResult,
  WorkflowRun,
  WorkflowRunReply,
} from '../../../../contract/workflows/workflow-run.ts'
import type { WorkflowStep } from '../../../../contract/workflows/workflow-step.ts'
import type { Db } from '../../../db/types.ts'
import type { Bus } from '../../../history/events/bus.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Context } from '../../../lib/context.ts'
import { fail } from '../../../lib/fail.ts'
import { ModelError } from '../../../models/model.ts'
import { type Finished, runSteps } from '../engine/engine.ts'
import type { Extracted } from '../engine/json-path.ts'
import { emptyResult, flattenSteps } from '../engine/result.ts'
import type { EngineDeps } from '../engine/state.ts'
import type { CapturedTexts } from './captured-texts.ts'
import { type ExecutionRow, executionStore, type StepRow } from './executions.store.ts'
import { type PayloadLocation, stepToRow } from './executions.wire.ts'
import type { ResumeCache } from './resume-cache.ts'

export type Emit = (event: string, data: unknown) => void

/** An active execution in this process. */
export type ActiveExecution = {
  readonly controller: AbortController
  readonly running: Set<string>
  /** Resolves or rejects when the end of the execution is on disk. */
  readonly finished: Promise<unknown>
}

export type Plan = {
  readonly row: ExecutionRow
  readonly steps: readonly WorkflowStep[]
  readonly variables: Readonly<Record<string, unknown>>
  readonly input: string
  readonly earlier: ReadonlyMap<string, StepResult>
  /** The locations of the texts of the earlier results. */
  readonly locations: ReadonlyMap<string, PayloadLocation | null>
}

export type ExecutionDeps = {
  readonly db: Db
  readonly bus: Bus
  readonly clock: Clock
  readonly texts: CapturedTexts
  readonly resumeCache: ResumeCache
  readonly callsOf: (ctx: Context, row: ExecutionRow) => EngineDeps['call']
  readonly extract: (ctx: Context, ...of: Parameters<EngineDeps['extract']>) => Promise<Extracted>
  readonly toWire: (row: ExecutionRow, steps: readonly StepRow[]) => Promise<WorkflowRun>
}

/** The reasons for ending an execution, which the run log also contains for its calls. */
export const cancellation = () => new ModelError('cancelled', 'The execution was cancelled')
export const interruption = () => new ModelError('interrupted', 'The service was stopped')

const isInterruption = ({ controller }: Pick<ActiveExecution, 'controller'>): boolean =>
  controller.signal.reason instanceof ModelError && controller.signal.reason.type === 'interrupted'

type Execution = {
  readonly deps: ExecutionDeps
  readonly ctx: Context
  readonly plan: Plan
  readonly active: Pick<ActiveExecution, 'controller' | 'running'>
  readonly emit: Emit
  /** A monotonic time in milliseconds. */
  readonly startedMs: number
  readonly results: Map<string, StepResult>
  readonly rows: StepRow[]
}

/** Runs one execution and stores each step when it ends. Resolves when the end is on disk. */
export async function runExecution(
  deps: ExecutionDeps,
  ctx: Context,
  plan: Plan,
  active: Execution['active'],
  emit: Emit,
): Promise<WorkflowRunReply> {
  const startedMs = performance.now()
  const execution: Execution = { deps, ctx, plan, active, emit, startedMs, results: new Map(), rows: [] }
  const { results, rows } = execution
  const { row, steps } = plan
  const finished = await runOrClose(execution)
  cacheForResume(execution, finished)
  const ended = await storeEnd(execution, finished)
  return {
    id: row.id,
    status: ended.status,
    output: finished.output,
    steps: flattenSteps(steps).flatMap(({ step }) => results.get(step.name) ?? []),
    run: await deps.toWire(ended, rows),
  }
}

/** Runs the steps. After an error of the service, not of a step, stops them, closes the record and throws. */
async function runOrClose(execution: Execution): Promise<Finished> {
  const { plan, active } = execution
  const { steps, variables, input, earlier } = plan
  const { signal } = active.controller
  try {
    return await runSteps({ steps, variables, input, earlier, signal }, engineDepsOf(execution))
  } catch (error) {
    active.controller.abort()
    await storeEnd(execution, {
      status: 'error',
      output: null,
      error: 'internal: An internal error occurred. The log contains the cause',
      failedStep: [...active.running].at(-1) ?? null,
    })
    throw error
  }
}

function engineDepsOf(execution: Execution): EngineDeps {
  const { deps, ctx, plan, active, emit, results } = execution
  return {
    call: deps.callsOf(ctx, plan.row),
    extract: (text, path, signal) => deps.extract(ctx, text, path, signal),
    now: () => deps.clock.now(),
    onStarted({ step, parent }, attempt) {
      active.running.add(step.name)
      emit('step_started', { step: step.name, type: step.type, parent, attempt })
    },
    onEvent(step, event) {
      emit(event.type, event.type === 'delta' ? { step, text: event.text } : { step, ...event.call })
    },
    async onEnded({ step, position }, ended) {
      const isInterrupted = ended.status === 'cancelled' && isInterruption(active)
      const result = isInterrupted ? { ...ended, status: 'interrupted' as const } : ended
      await storeStep(execution, position, result)
      results.set(step.name, result)
      active.running.delete(step.name)
      emit('step', result)
    },
  }
}

async function storeStep(execution: Execution, position: number, result: StepResult): Promise<void> {
  const { deps, plan, rows } = execution
  const { status } = result
  if (status === 'running') throw new Error(`The step ${result.name} has not ended`)
  const location = await storeTexts(execution, result)
  const stepRow = stepToRow(plan.row.id, position, { ...result, status }, location)
  await deps.db.write((tx) => executionStore.insertStep(tx.q, stepRow), { evenWhenFull: true })
  rows.push(stepRow)
}

/** Stores the texts of a step, unless it shares them with an earlier execution. Returns their location. */
async function storeTexts(
  { deps, ctx, plan }: Execution,
  result: StepResult,
): Promise<PayloadLocation | null> {
  const { row, variables, locations } = plan
  if (!result.taken_over) return deps.texts.storeStep(row.id, ctx.now, row.capture, variables, result)
  return row.capture === 'off' ? null : (locations.get(result.name) ?? null)
}

function cacheForResume({ deps, plan, results }: Execution, finished: Finished): void {
  const { row, variables, input } = plan
  if (finished.status === 'ok') {
    deps.resumeCache.delete(row.id)
    return
  }
  const outputs = new Map(
    [...results].flatMap(([name, { output }]) => (output === null ? [] : [[name, output]])),
  )
  deps.resumeCache.set(row.id, { variables, input, outputs })
}

/** Stores the end of an execution, with the steps that have not run. Returns its row. */
async function storeEnd(execution: Execution, finished: Finished): Promise<ExecutionRow> {
  const { deps, plan, results, rows } = execution
  const { row, steps } = plan
  const changes = endOf(execution, finished)
  const notRun = flattenSteps(steps).filter(({ step }) => !results.has(step.name))
  await deps.db.write(
    async (tx) => {
      if (!(await executionStore.end(tx.q, row.id, changes))) throw endedElsewhere()
      for (const place of notRun) {
        const result = { ...emptyResult(place, 'not_run'), status: 'not_run' as const }
        const stepRow = stepToRow(row.id, place.position, result, null)
        await executionStore.insertStep(tx.q, stepRow)
        rows.push(stepRow)
        results.set(place.step.name, result)
      }
      tx.afterCommit(() => deps.bus.announce({ kind: 'runs', workspaceIds: [row.workspace_id] }))
    },
    { evenWhenFull: true },
  )
  return { ...row, ...changes }
}

/** Another instance ended the execution, because this one had stopped for a while. */
const endedElsewhere = () =>
  fail('store.unavailable', {
    detail:
      'This instance of the service was not connected for a while, and another one recorded the execution as interrupted. Its later steps are not recorded.',
  })

function endOf({ deps, active, startedMs }: Execution, finished: Finished) {
  const isInterrupted = finished.status === 'cancelled' && isInterruption(active)
  return {
    status: isInterrupted ? ('interrupted' as const) : finished.status,
    error: isInterrupted ? 'interrupted: The service was stopped' : finished.error,
    failed_step: finished.failedStep,
    finished_at: deps.clock.now().getTime(),
    latency_us: Math.round((performance.now() - startedMs) * 1000),
  }
}
