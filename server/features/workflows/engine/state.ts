import type { ToolCall } from '../../../../contract/models/models.ts'
import type { StepResult } from '../../../../contract/workflows/workflow-run.ts'
import type { WorkflowStep } from '../../../../contract/workflows/workflow-step.ts'
import type { CallDone } from '../../../calls/request/call.ts'
import { StepError, textOf } from './errors.ts'
import type { Extracted } from './json-path.ts'
import { flattenSteps, type PlacedStep } from './result.ts'
import { type Values, valuesFor } from './values.ts'

export type CallingStep = Extract<WorkflowStep, { type: 'model' | 'agent' }>
type StreamEvent =
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'tool_call'; readonly call: ToolCall }

export type EngineDeps = {
  /** Makes one model call for a step. Throws `CallFailed`, a 4xx `Problem` or a `StepError`. */
  call(
    step: CallingStep,
    values: Values,
    signal: AbortSignal,
    onEvent: (event: StreamEvent) => void,
  ): Promise<CallDone>
  /** Evaluates a JSONPath within limits of time and memory. Rejects only when the signal aborts. */
  extract(text: string, path: string, signal: AbortSignal): Promise<Extracted>
  now(): Date
  /** Called before each attempt of a step. */
  onStarted(place: PlacedStep, attempt: number): void
  /** Called with each delta and tool call of a step. */
  onEvent(step: string, event: StreamEvent): void
  /** Called once for each step when it ends; stores the result. If it throws, the execution ends. */
  onEnded(place: PlacedStep, result: StepResult): Promise<void>
}

/** The input of an execution. */
export type ExecutionRequest = {
  readonly steps: readonly WorkflowStep[]
  readonly variables: Values
  readonly input: string
  /** Results of an earlier execution by step. Successful steps are not run again. */
  readonly earlier: ReadonlyMap<string, StepResult>
  readonly signal: AbortSignal
}

export type EngineState = {
  readonly request: ExecutionRequest
  readonly deps: EngineDeps
  readonly placedSteps: ReadonlyMap<string, PlacedStep>
  readonly outputs: Map<string, string>
  /** The first step that failed. */
  failed: { readonly step: string; readonly error: string } | null
  /** Length of the texts of all ended steps, in UTF-16 code units. */
  textLength: number
}

/** Maximum of `textLength`. The reply contains all texts, and JSON takes up to six characters for one. */
const maxTexts = 16 * 1024 * 1024

export const newState = (request: ExecutionRequest, deps: EngineDeps): EngineState => ({
  request,
  deps,
  placedSteps: new Map(flattenSteps(request.steps).map((place) => [place.step.name, place])),
  outputs: new Map(),
  failed: null,
  textLength: 0,
})

export const isSuccessful = ({ status }: StepResult): boolean => status === 'ok' || status === 'skipped'

export function placedStepOf({ placedSteps }: EngineState, step: WorkflowStep): PlacedStep {
  const place = placedSteps.get(step.name)
  if (place === undefined) throw new Error(`The step ${step.name} has no place`)
  return place
}

export const valuesAt = ({ request, outputs }: EngineState, input: string): Values =>
  valuesFor(request.variables, input, outputs)

/** Removes the texts of a result that would exceed the limit. The step then fails, unless it did not succeed. */
function withinLimit(state: EngineState, result: StepResult): StepResult {
  const length = state.textLength + (result.input?.length ?? 0) + (result.output?.length ?? 0)
  if (length <= maxTexts) {
    state.textLength = length
    return result
  }
  const withoutTexts = { ...result, input: null, output: null }
  if (!isSuccessful(result)) return withoutTexts
  const error = new StepError('too_large', 'The texts of all steps would be larger than 16 MiB')
  return { ...withoutTexts, status: 'error', error: textOf(error) }
}

/** Ends a step: records its output and reports its result, which it returns. */
export async function endStep(
  state: EngineState,
  step: WorkflowStep,
  ended: StepResult,
): Promise<StepResult> {
  const result = withinLimit(state, ended)
  if (result.status === 'error') state.failed ??= { step: step.name, error: result.error ?? 'error' }
  state.outputs.set(step.name, result.output ?? '')
  await state.deps.onEnded(placedStepOf(state, step), result)
  return result
}
