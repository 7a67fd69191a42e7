import type { StepResult, StepStatus } from '../../../../contract/workflows/workflow-run.ts'
import { nestedIn, type WorkflowStep } from '../../../../contract/workflows/workflow-step.ts'

/** `waiting`: the step has not started yet. */
export type TraceStatus = StepStatus | 'waiting'

/** One step of an execution, for display. */
export type TraceRow = {
  readonly name: string
  readonly type: string
  readonly depth: number
  readonly status: TraceStatus
  /** Null until the step has ended. */
  readonly result: StepResult | null
  /** The output received so far. */
  readonly text: string
  readonly attempt: number
  /** Epoch milliseconds; null if the step has not started or the time is unknown. */
  readonly startedAt: number | null
}

const row = (name: string, type: string, depth: number): TraceRow => ({
  name,
  type,
  depth,
  status: 'waiting',
  result: null,
  text: '',
  attempt: 0,
  startedAt: null,
})

/** Returns waiting rows for all steps, each before its children. */
export const waitingRows = (steps: readonly WorkflowStep[], depth = 0): TraceRow[] =>
  steps.flatMap((step) => [
    row(step.name, step.type, depth),
    ...nestedIn(step).flatMap(([, inner]) => waitingRows(inner, depth + 1)),
  ])

export const resultRow = (result: StepResult, depth: number): TraceRow => ({
  ...row(result.name, result.type, depth),
  status: result.status,
  result,
  attempt: result.attempts,
  startedAt: result.started_at === null ? null : Date.parse(result.started_at),
})

/** Converts a stored trace to rows. */
export function traceRows(steps: readonly StepResult[]): TraceRow[] {
  const depths = new Map<string, number>()
  return steps.map((step) => {
    const depth = step.parent === null ? 0 : (depths.get(step.parent) ?? 0) + 1
    depths.set(step.name, depth)
    return resultRow(step, depth)
  })
}

/** Replaces the row with that name; an unknown name is added at the end. */
export function withRow(
  rows: readonly TraceRow[],
  name: string,
  change: (row: TraceRow) => TraceRow,
  type = 'model',
): readonly TraceRow[] {
  const index = rows.findIndex((candidate) => candidate.name === name)
  const before = rows[index]
  return before === undefined ? [...rows, change(row(name, type, 0))] : rows.with(index, change(before))
}
