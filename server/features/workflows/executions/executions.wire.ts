import type { StepResult, WorkflowRun } from '../../../../contract/workflows/workflow-run.ts'
import { timeOf } from '../../../resources/changes.ts'
import type { ExecutionRow, StepRow } from './executions.store.ts'

const nanosPerDollar = 1e9

/** The location of a captured text. */
export type PayloadLocation = { readonly day: number; readonly offset: number; readonly length: number }
export const payloadLocationOf = (
  row: Pick<StepRow, 'payload_day' | 'payload_offset' | 'payload_length'>,
): PayloadLocation | null => {
  const { payload_day: day, payload_offset: offset, payload_length: length } = row
  return day === null || offset === null || length === null ? null : { day, offset, length }
}
export const payloadColumns = (location: PayloadLocation | null) => ({
  payload_day: location?.day ?? null,
  payload_offset: location?.offset ?? null,
  payload_length: location?.length ?? null,
})

const idsOf = (text: string): number[] => (text === '' ? [] : text.split(',').map(Number))

/** Returns a step without captured texts: input, output and tool calls. */
export function stepToWire(row: StepRow): StepResult {
  const runIds = idsOf(row.run_ids)
  return {
    name: row.name,
    type: row.type,
    parent: row.parent,
    branch: row.branch,
    status: row.status,
    input: null,
    output: null,
    tool_calls: [],
    error: row.error,
    started_at: row.started_at === null ? null : timeOf(row.started_at),
    latency_ms: row.latency_us === null ? null : row.latency_us / 1000,
    attempts: row.attempts,
    run_id: runIds.at(-1) ?? null,
    run_ids: runIds,
    provider: row.provider,
    model: row.model,
    prompt_tokens: row.prompt_tokens,
    output_tokens: row.output_tokens,
    tokens: row.tokens,
    tokens_estimated: row.tokens_estimated === 1,
    cost_usd: row.cost_nano === null ? null : row.cost_nano / nanosPerDollar,
    taken_over: row.taken_over === 1,
  }
}

export function stepToRow(
  runId: string,
  position: number,
  result: StepResult & { readonly status: StepRow['status'] },
  location: PayloadLocation | null,
): StepRow {
  return {
    run_id: runId,
    position,
    name: result.name,
    type: result.type,
    parent: result.parent,
    branch: result.branch,
    status: result.status,
    error: result.error,
    started_at: result.started_at === null ? null : Date.parse(result.started_at),
    latency_us: result.latency_ms === null ? null : Math.round(result.latency_ms * 1000),
    attempts: result.attempts,
    run_ids: result.run_ids.join(','),
    provider: result.provider,
    model: result.model,
    prompt_tokens: result.prompt_tokens,
    output_tokens: result.output_tokens,
    tokens: result.tokens,
    tokens_estimated: result.tokens_estimated ? 1 : 0,
    cost_nano: result.cost_usd === null ? null : Math.round(result.cost_usd * nanosPerDollar),
    taken_over: result.taken_over ? 1 : 0,
    ...payloadColumns(location),
  }
}

/** Returns the totals of this execution. Reused steps were counted in the earlier execution. */
function sumsOf(steps: readonly StepRow[]) {
  const notReused = steps.filter((step) => step.taken_over === 0)
  const called = notReused.filter((step) => step.run_ids !== '')
  const sum = (pick: (step: StepRow) => number | null) =>
    notReused.reduce((total, step) => total + (pick(step) ?? 0), 0)
  const isPriced = called.every((step) => step.cost_nano !== null)
  return {
    run_count: called.reduce((total, step) => total + idsOf(step.run_ids).length, 0),
    steps_done: steps.filter(({ status }) => status === 'ok' || status === 'skipped').length,
    prompt_tokens: sum((step) => step.prompt_tokens),
    output_tokens: sum((step) => step.output_tokens),
    total_tokens: sum((step) => step.tokens),
    tokens_estimated: called.some((step) => step.tokens_estimated === 1),
    cost_usd: isPriced ? sum((step) => step.cost_nano) / nanosPerDollar : null,
  }
}

export function executionToWire(
  row: ExecutionRow,
  steps: readonly StepRow[],
  notResumableReason: string | null,
): WorkflowRun {
  return {
    id: row.id,
    workflow_id: row.workflow_id,
    workflow_key: row.workflow_key,
    version: `v${row.version}`,
    workspace_id: row.workspace_id,
    status: row.status,
    error: row.error,
    failed_step: row.failed_step,
    user: row.user,
    step_count: row.step_count,
    ...sumsOf(steps),
    latency_ms: row.latency_us === null ? null : row.latency_us / 1000,
    capture: row.capture,
    resumed_from: row.resumed_from,
    resumed_step: row.resumed_step,
    resumable: notResumableReason === null,
    resume_reason: notResumableReason,
    created_at: timeOf(row.created_at),
    finished_at: row.finished_at === null ? null : timeOf(row.finished_at),
  }
}
