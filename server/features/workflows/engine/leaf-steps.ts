import type { StepResult } from '../../../../contract/workflows/workflow-run.ts'
import type { WorkflowStep } from '../../../../contract/workflows/workflow-step.ts'
import { attempt } from './attempts.ts'
import { StepError, textOf } from './errors.ts'
import { callsOf } from './result.ts'
import { type CallingStep, type EngineState, placedStepOf, valuesAt } from './state.ts'
import { fill } from './values.ts'

export type LeafStep = Exclude<WorkflowStep, { type: 'condition' | 'parallel' }>

/** Runs a step that contains no other steps. Returns what it adds to the result. */
export async function runLeaf(
  state: EngineState,
  step: LeafStep,
  input: string,
  signal: AbortSignal,
): Promise<Partial<StepResult>> {
  if (step.type === 'model' || step.type === 'agent') return callModel(state, step, input, signal)
  return { output: await transform(state, step, input, signal) }
}

async function transform(
  state: EngineState,
  step: Exclude<LeafStep, CallingStep>,
  input: string,
  signal: AbortSignal,
): Promise<string> {
  const text = fill(step.template, valuesAt(state, input))
  if (step.type === 'render') return text
  if (step.op === 'upper') return text.toUpperCase()
  if (step.op === 'lower') return text.toLowerCase()
  if (step.op === 'trim') return text.trim()
  const extracted = await state.deps.extract(text, step.path ?? '', signal)
  if ('error' in extracted) throw new StepError('json_path', extracted.error)
  return extracted.found
}

async function callModel(
  state: EngineState,
  step: CallingStep,
  input: string,
  signal: AbortSignal,
): Promise<Partial<StepResult>> {
  const { deps } = state
  const values = valuesAt(state, input)
  const outcome = await attempt(step, signal, (attemptSignal, number) => {
    if (number > 1) deps.onStarted(placedStepOf(state, step), number)
    return deps.call(step, values, attemptSignal, (event) => deps.onEvent(step.name, event))
  })
  const toolCalls = 'done' in outcome ? outcome.done.result.tool_calls : []
  const figures = { ...callsOf(outcome.runs, outcome.attempts, toolCalls), input: outcome.rendered ?? input }
  if ('done' in outcome) return { ...figures, output: outcome.done.result.output }
  if (signal.aborted) return { ...figures, status: 'cancelled' }
  return { ...figures, status: 'error', error: textOf(outcome.error) }
}
