import type { StepResult, StepStatus } from '../../../contract/workflow-run.ts'
import { nestedIn, type WorkflowStep } from '../../../contract/workflow-step.ts'

/** `waiting`: it has not begun yet, and may still. */
export type TraceStatus = StepStatus | 'waiting'

/** One step of an execution, as it is shown. */
export type TraceRow = {
  readonly name: string
  readonly type: string
  readonly depth: number
  readonly status: TraceStatus
  /** Null until it has ended. */
  readonly result: StepResult | null
  /** What came of its answer so far. */
  readonly text: string
  readonly attempt: number
  /** Epoch milliseconds; null until it has begun, or when nobody knows. */
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

/** The steps that are going to run, each before what it holds. */
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

/** A trace as it was kept. */
export function traceRows(steps: readonly StepResult[]): TraceRow[] {
  const depths = new Map<string, number>()
  return steps.map((step) => {
    const depth = step.parent === null ? 0 : (depths.get(step.parent) ?? 0) + 1
    depths.set(step.name, depth)
    return resultRow(step, depth)
  })
}

/** Puts a row in the place of the one of its name; one that was not expected comes last. */
export function withRow(
  rows: readonly TraceRow[],
  name: string,
  change: (row: TraceRow) => TraceRow,
  type = 'model',
): readonly TraceRow[] {
  const at = rows.findIndex((one) => one.name === name)
  const before = rows[at]
  return before === undefined ? [...rows, change(row(name, type, 0))] : rows.with(at, change(before))
}
