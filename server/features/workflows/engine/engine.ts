import type { StepResult } from '../../../../contract/workflows/workflow-run.ts'
import type {
  ConditionStep,
  ParallelStep,
  WorkflowStep,
} from '../../../../contract/workflows/workflow-step.ts'
import { withTimeout } from './attempts.ts'
import { StepError, textOf } from './errors.ts'
import { runLeaf } from './leaf-steps.ts'
import { emptyResult, flattenSteps } from './result.ts'
import {
  type EngineDeps,
  type EngineState,
  type ExecutionRequest,
  endStep,
  isSuccessful,
  newState,
  placedStepOf,
  valuesAt,
} from './state.ts'
import { isTrue } from './values.ts'

export type Finished = {
  readonly status: 'ok' | 'error' | 'cancelled'
  readonly output: string | null
  readonly error: string | null
  readonly failedStep: string | null
}

/** The result of a step for its sequence: the input of the next step, or the end of the sequence. */
type Flow = { readonly continues: true; readonly output: string } | { readonly continues: false }
const stop: Flow = { continues: false }

/** Runs steps in sequence, and those of `parallel` concurrently. Has no access to stores or connections. */
export async function runSteps(request: ExecutionRequest, deps: EngineDeps): Promise<Finished> {
  const state = newState(request, deps)
  const flow = await runSequence(state, request.steps, request.input, request.signal)
  if (flow.continues) return { status: 'ok', output: flow.output, error: null, failedStep: null }
  const { failed } = state
  if (request.signal.aborted && failed === null)
    return { status: 'cancelled', output: null, error: null, failedStep: null }
  return { status: 'error', output: null, error: failed?.error ?? null, failedStep: failed?.step ?? null }
}

async function runSequence(
  state: EngineState,
  steps: readonly WorkflowStep[],
  input: string,
  signal: AbortSignal,
): Promise<Flow> {
  let output = input
  for (const step of steps) {
    if (signal.aborted) return stop
    const flow = await runStep(state, step, output, signal)
    if (!flow.continues) return stop
    output = flow.output
  }
  return { continues: true, output }
}

async function runStep(
  state: EngineState,
  step: WorkflowStep,
  input: string,
  signal: AbortSignal,
): Promise<Flow> {
  const earlier = state.request.earlier.get(step.name)
  if (earlier !== undefined && isSuccessful(earlier)) return reuse(state, step, earlier)
  const startedMs = performance.now()
  const startedAt = state.deps.now().toISOString()
  const finish = async (part: Partial<StepResult>): Promise<Flow> => {
    const latencyMs = Math.round((performance.now() - startedMs) * 1000) / 1000
    const timed = { started_at: startedAt, latency_ms: latencyMs }
    const ended = { ...emptyResult(placedStepOf(state, step), 'ok'), input, ...timed, ...part }
    const result = await endStep(state, step, ended)
    return isSuccessful(result) ? { continues: true, output: result.output ?? '' } : stop
  }
  try {
    return await finish(await outcomeOf(state, step, input, signal))
  } catch (error) {
    if (signal.aborted && error === signal.reason) return finish({ status: 'cancelled' })
    if (!(error instanceof StepError)) throw error
    return finish({ status: 'error', error: textOf(error) })
  }
}

/** Runs a step, or skips it because of its condition. Returns what it adds to the result. */
async function outcomeOf(
  state: EngineState,
  step: WorkflowStep,
  input: string,
  signal: AbortSignal,
): Promise<Partial<StepResult>> {
  if (step.type !== 'condition' && step.when !== undefined && !isTrue(step.when, valuesAt(state, input))) {
    await skip(state, flattenSteps([step]).slice(1))
    return { status: 'skipped', output: input }
  }
  state.deps.onStarted(placedStepOf(state, step), 1)
  if (step.type === 'condition' || step.type === 'parallel') return runNested(state, step, input, signal)
  return runLeaf(state, step, input, signal)
}

async function skip(state: EngineState, skipped: readonly { readonly step: WorkflowStep }[]): Promise<void> {
  for (const { step } of skipped)
    await endStep(state, step, emptyResult(placedStepOf(state, step), 'skipped'))
}

/** Reuses the result of an earlier execution, and those of the nested steps. */
async function reuse(state: EngineState, step: WorkflowStep, result: StepResult): Promise<Flow> {
  for (const { step: each } of flattenSteps([step])) {
    const earlier = state.request.earlier.get(each.name)
    if (earlier !== undefined) await endStep(state, each, { ...earlier, taken_over: true })
  }
  return { continues: true, output: result.output ?? '' }
}

/** Runs a step that contains other steps, within its own time limit. */
async function runNested(
  state: EngineState,
  step: ConditionStep | ParallelStep,
  input: string,
  signal: AbortSignal,
): Promise<Partial<StepResult>> {
  const limit = withTimeout(signal, step.timeout_ms, 'The step did not end')
  const { flow, branch } = await (step.type === 'parallel'
    ? runParallel(state, step, input, limit.signal).then((done) => ({ flow: done, branch: null }))
    : runBranch(state, step, input, limit.signal)
  ).finally(limit.clear)
  if (flow.continues) return { branch, output: flow.output }
  if (signal.aborted) return { branch, status: 'cancelled' }
  if (limit.isExpired())
    return { branch, status: 'error', error: `timeout: The step did not end within ${step.timeout_ms} ms` }
  return { branch, status: 'error', error: `step: ${state.failed?.step ?? 'A step'} failed` }
}

async function runBranch(state: EngineState, step: ConditionStep, input: string, signal: AbortSignal) {
  const branch = isTrue(step.when, valuesAt(state, input)) ? ('then' as const) : ('else' as const)
  await skip(state, flattenSteps(branch === 'then' ? step.else : step.then))
  return { branch, flow: await runSequence(state, step[branch], input, signal) }
}

/**
 * Runs steps concurrently. When one fails, the others continue: their calls are paid for, and a resumed
 * execution reuses their results.
 */
async function runParallel(
  state: EngineState,
  step: ParallelStep,
  input: string,
  signal: AbortSignal,
): Promise<Flow> {
  const flows = await Promise.all(
    step.steps.map((each) =>
      runStep(state, each, input, signal).catch((error: unknown) => ({ thrown: error })),
    ),
  )
  for (const flow of flows) if ('thrown' in flow) throw flow.thrown
  const entries = step.steps.map(({ name }, index) => [name, flows[index]] as const)
  const pairs = entries.flatMap(([name, flow]) =>
    flow !== undefined && 'output' in flow ? [[name, flow.output] as const] : [],
  )
  if (pairs.length < entries.length) return stop
  // Built as text: an object would move names that are integers to the front.
  const output = `{${pairs.map(([name, text]) => `${JSON.stringify(name)}:${JSON.stringify(text)}`).join(',')}}`
  return { continues: true, output }
}
