import type { ToolCall } from '../../../../contract/models/models.ts'
import type { Run } from '../../../../contract/runs/run.ts'
import type { StepResult } from '../../../../contract/workflows/workflow-run.ts'
import { nestedIn, type WorkflowStep } from '../../../../contract/workflows/workflow-step.ts'

/** A step with its position in the workflow, in depth-first order. */
export type PlacedStep = {
  readonly step: WorkflowStep
  readonly position: number
  readonly parent: string | null
}

/** Returns all steps as a list, each before its nested steps. */
export function flattenSteps(steps: readonly WorkflowStep[]): readonly PlacedStep[] {
  const placed: PlacedStep[] = []
  const add = (list: readonly WorkflowStep[], parent: string | null) => {
    for (const step of list) {
      placed.push({ step, position: placed.length, parent })
      for (const [, nested] of nestedIn(step)) add(nested, step.name)
    }
  }
  add(steps, null)
  return placed
}

/** Returns the result of a step that has not run. */
export const emptyResult = ({ step, parent }: PlacedStep, status: StepResult['status']): StepResult => ({
  name: step.name,
  type: step.type,
  parent,
  branch: null,
  status,
  input: null,
  output: null,
  tool_calls: [],
  error: null,
  started_at: null,
  latency_ms: null,
  attempts: 0,
  run_id: null,
  run_ids: [],
  ...figuresOf([]),
  taken_over: false,
})

const sum = (numbers: readonly (number | null)[]): number | null => {
  const known = numbers.filter((number) => number !== null)
  return known.length === 0 ? null : known.reduce((total, number) => total + number, 0)
}

/** Returns the totals of a step's calls. If the cost of one call is unknown, the total is unknown. */
function figuresOf(runs: readonly Run[]) {
  const last = runs.at(-1)
  const costs = runs.map((run) => run.cost_usd)
  return {
    provider: last?.provider ?? null,
    model: last?.model ?? null,
    prompt_tokens: sum(runs.map((run) => run.prompt_tokens)),
    output_tokens: sum(runs.map((run) => run.output_tokens)),
    tokens: sum(runs.map((run) => run.total_tokens)),
    tokens_estimated: runs.some((run) => run.tokens_estimated),
    cost_usd: costs.includes(null) ? null : sum(costs),
  }
}

/** Returns the fields of a result that come from the calls of a step. */
export const callsOf = (runs: readonly Run[], attempts: number, toolCalls: readonly ToolCall[]) => ({
  attempts,
  run_id: runs.at(-1)?.id ?? null,
  run_ids: runs.map((run) => run.id),
  tool_calls: [...toolCalls],
  ...figuresOf(runs),
})
