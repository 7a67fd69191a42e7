import type { StepResult, WorkflowRun, WorkflowRunReply } from '../../../contract/workflow-run.ts'
import type { WorkflowStep } from '../../../contract/workflow-step.ts'
import type { Db } from '../../db/types.ts'
import type { Bus } from '../../history/bus.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Context } from '../../lib/context.ts'
import { ModelError } from '../../models/model.ts'
import { type EngineWorld, type Finished, runSteps } from './engine/engine.ts'
import type { Extracted } from './engine/json-path.ts'
import { blank, placesOf } from './engine/result.ts'
import { type ExecutionRow, executionStore, type StepRow } from './executions.store.ts'
import { type Place, stepToRow } from './executions.wire.ts'
import type { Keeping } from './keeping.ts'
import type { Memory } from './memory.ts'

export type Emit = (event: string, data: unknown) => void

/** An active execution in this process. */
export type Live = {
  readonly controller: AbortController
  readonly running: Set<string>
  /** Settles when the end of the execution is on disk. */
  readonly finished: Promise<unknown>
}

export type Plan = {
  readonly row: ExecutionRow
  readonly steps: readonly WorkflowStep[]
  readonly variables: Readonly<Record<string, unknown>>
  readonly input: string
  readonly earlier: ReadonlyMap<string, StepResult>
  /** The locations of the texts of the earlier results. */
  readonly places: ReadonlyMap<string, Place | null>
}

export type ExecutionDeps = {
  readonly db: Db
  readonly bus: Bus
  readonly clock: Clock
  readonly keeping: Keeping
  readonly memory: Memory
  readonly callsOf: (ctx: Context, row: ExecutionRow) => EngineWorld['call']
  readonly extract: (ctx: Context, ...of: Parameters<EngineWorld['extract']>) => Promise<Extracted>
  readonly toWire: (row: ExecutionRow, steps: readonly StepRow[]) => Promise<WorkflowRun>
}

/** The reason for ending an execution, which its calls also have in the run log. */
export const cancellation = () => new ModelError('cancelled', 'The execution was cancelled')
export const interruption = () => new ModelError('interrupted', 'The service was stopped')

/** Runs one execution and stores each step when it ends. Resolves when the end is on disk. */
export async function carryOut(
  deps: ExecutionDeps,
  ctx: Context,
  plan: Plan,
  { controller, running }: Pick<Live, 'controller' | 'running'>,
  emit: Emit,
): Promise<WorkflowRunReply> {
  const { db, bus, clock, keeping, memory } = deps
  const { row, steps, variables, input, earlier, places } = plan
  const { signal } = controller
  const begun = performance.now()
  const results = new Map<string, StepResult>()
  const rows: StepRow[] = []

  const keepStep = async (position: number, result: StepResult): Promise<void> => {
    const { status } = result
    if (status === 'running') throw new Error(`The step ${result.name} has not ended`)
    const place = result.taken_over
      ? row.capture === 'off'
        ? null
        : (places.get(result.name) ?? null)
      : await keeping.step(row.id, ctx.now, row.capture, variables, result)
    const stepRow = stepToRow(row.id, position, { ...result, status }, place)
    await db.write((tx) => executionStore.insertStep(tx.q, stepRow), { evenWhenFull: true })
    rows.push(stepRow)
  }

  const world: EngineWorld = {
    call: deps.callsOf(ctx, row),
    extract: (text, path, signal) => deps.extract(ctx, text, path, signal),
    now: () => clock.now(),
    started({ step, parent }, attempt) {
      running.add(step.name)
      emit('step_started', { step: step.name, type: step.type, parent, attempt })
    },
    heard(step, event) {
      emit(event.type, event.type === 'delta' ? { step, text: event.text } : { step, ...event.call })
    },
    async ended({ step, position }, result) {
      await keepStep(position, result)
      results.set(step.name, result)
      running.delete(step.name)
      emit('step', result)
    },
  }

  const end = async (finished: Finished): Promise<ExecutionRow> => {
    const isInterrupted =
      finished.status === 'cancelled' &&
      signal.reason instanceof ModelError &&
      signal.reason.type === 'interrupted'
    const changes: Partial<ExecutionRow> = {
      status: isInterrupted ? 'interrupted' : finished.status,
      error: isInterrupted ? 'interrupted: The service was stopped' : finished.error,
      failed_step: finished.failedStep,
      finished_at: clock.now().getTime(),
      latency_us: Math.round((performance.now() - begun) * 1000),
    }
    const notRun = placesOf(steps).filter(({ step }) => !results.has(step.name))
    await db.write(
      async (tx) => {
        for (const place of notRun) {
          const result = { ...blank(place, 'not_run'), status: 'not_run' as const }
          const stepRow = stepToRow(row.id, place.position, result, null)
          await executionStore.insertStep(tx.q, stepRow)
          rows.push(stepRow)
          results.set(place.step.name, result)
        }
        await executionStore.update(tx.q, row.id, changes)
        tx.afterCommit(() => bus.announce({ kind: 'runs' }))
      },
      { evenWhenFull: true },
    )
    return { ...row, ...changes }
  }

  let finished: Finished
  try {
    finished = await runSteps({ steps, variables, input, earlier, signal }, world)
  } catch (error) {
    // An error of the service, not of a step: stop the other steps and close the record.
    controller.abort()
    await end({
      status: 'error',
      output: null,
      error: 'internal: The service failed. Its log has the cause',
      failedStep: [...running].at(-1) ?? null,
    })
    throw error
  }
  const outputs = new Map(
    [...results].flatMap(([name, { output }]) => (output === null ? [] : [[name, output]])),
  )
  if (finished.status === 'ok') memory.forget(row.id)
  else memory.keep(row.id, { variables, input, outputs })
  const ended = await end(finished)
  return {
    id: row.id,
    status: ended.status,
    output: finished.output,
    steps: placesOf(steps).flatMap(({ step }) => results.get(step.name) ?? []),
    run: await deps.toWire(ended, rows),
  }
}
