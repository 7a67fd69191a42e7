import { z } from 'zod'
import { anyOf, Id, KeyText, paging, queryTime, SearchText, Timestamp } from '../common/fields.ts'
import { CaptureMode, ToolCall } from '../models/models.ts'
import { runFields } from '../playground/playground.ts'
import { VersionInput, VersionLabel } from '../prompts/prompt.ts'
import { runContextFields } from '../runs/run.ts'
import { stepTypes } from './workflow-step.ts'

/** `interrupted`: the service ended during the execution. */
export const executionStatuses = ['running', 'ok', 'error', 'cancelled', 'interrupted'] as const
const ExecutionStatus = z.enum(executionStatuses)
export type ExecutionStatus = z.infer<typeof ExecutionStatus>

/** `skipped`: its `when` was false, or its branch was not taken. `not_run`: the execution ended before it. */
export const StepStatus = z.enum(['running', 'ok', 'error', 'skipped', 'cancelled', 'interrupted', 'not_run'])
export type StepStatus = z.infer<typeof StepStatus>

const Text = z.string().nullable()
/** The result of one step. A trace has the order of the workflow, each step before its nested steps. */
export const StepResult = z.object({
  name: z.string(),
  type: z.enum(stepTypes),
  parent: Text.meta({ description: 'The enclosing `condition` or `parallel` step' }),
  branch: z.enum(['then', 'else']).nullable().meta({ description: 'The branch that a `condition` selected' }),
  status: StepStatus,
  input: Text.meta({
    description:
      'Input of the step: the text sent to a model; for other steps, the previous output. Null if it is not captured',
  }),
  output: Text.meta({ description: 'Null if there is none, or if it is not captured' }),
  tool_calls: z.array(ToolCall),
  error: Text.meta({ description: '`<type>: <message>`' }),
  started_at: Timestamp.nullable(),
  latency_ms: z.number().nullable(),
  attempts: z.int(),
  run_id: z.int().nullable().meta({ description: 'Run ID of the last attempt' }),
  run_ids: z.array(z.int()).meta({ description: 'Run IDs of all attempts, in order' }),
  provider: Text,
  model: Text,
  prompt_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  tokens: z.int().nullable().meta({ description: 'Sum over all attempts' }),
  tokens_estimated: z.boolean(),
  cost_usd: z
    .number()
    .nullable()
    .meta({ description: 'Sum over all attempts; null if unknown, or if no model was called' }),
  taken_over: z
    .boolean()
    .meta({ description: 'Not run again; the result is reused from the resumed execution' }),
})
export type StepResult = z.infer<typeof StepResult>

export const WorkflowRun = z.object({
  id: Id,
  workflow_id: Id,
  workflow_key: z.string(),
  version: VersionLabel,
  workspace_id: Id,
  status: ExecutionStatus,
  error: Text.meta({ description: 'Error of the first step that failed: `<type>: <message>`' }),
  failed_step: Text.meta({ description: 'Name of the first step that failed' }),
  user: z.string(),
  run_count: z.int().meta({ description: 'Number of model calls, which are runs with this `parent_id`' }),
  step_count: z.int(),
  steps_done: z.int().meta({ description: 'Steps that succeeded, were skipped or were reused' }),
  prompt_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  tokens_estimated: z.boolean(),
  cost_usd: z.number().nullable().meta({ description: 'Null if a price is unknown' }),
  latency_ms: z.number().nullable().meta({ description: 'Null while running, or if unknown' }),
  capture: CaptureMode.meta({ description: 'Capture mode of variables, inputs and outputs' }),
  resumed_from: Id.nullable().meta({ description: 'The execution that was resumed' }),
  resumed_step: Text,
  resumable: z.boolean(),
  resume_reason: Text.meta({ description: 'Reason why it cannot be resumed; null if it can' }),
  created_at: Timestamp,
  finished_at: Timestamp.nullable(),
})
export type WorkflowRun = z.infer<typeof WorkflowRun>

export const WorkflowRunDetail = WorkflowRun.extend({
  variables: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description: 'Null if they are not captured' }),
  input: Text,
  output: Text,
  steps: z.array(StepResult),
})
export type WorkflowRunDetail = z.infer<typeof WorkflowRunDetail>

/** The reply to the caller, complete in any capture mode. A failed step is not a failed request. */
export const WorkflowRunReply = z.object({
  id: Id,
  status: ExecutionStatus,
  output: Text,
  steps: z.array(StepResult),
  run: WorkflowRun,
})
export type WorkflowRunReply = z.infer<typeof WorkflowRunReply>

/** Maximum length of `input` in UTF-16 code units. */
export const maxInputLength = 262_144
export const RunWorkflowBody = z.strictObject({
  version: VersionInput.optional().meta({ description: 'The newest version by default' }),
  input: z
    .string()
    .max(maxInputLength)
    .default('')
    .meta({ description: 'Value of `{{input}}` in the first step' }),
  ...runFields,
})
export const ResumeWorkflowBody = z
  .strictObject({ capture: runFields.capture, stream: runFields.stream, ...runContextFields })
  .prefault({})

const listFields = {
  ...paging(['created_at', '-created_at'] as const),
  status: anyOf(ExecutionStatus),
  user: anyOf(z.string().min(1).max(64)),
  from: queryTime.optional(),
  to: queryTime.optional(),
}
export const ListOwnRunsQuery = z.strictObject(listFields)
export const ListWorkflowRunsQuery = z.strictObject({
  ...listFields,
  workspace: anyOf(z.string().min(1).max(64)),
  workflow_id: anyOf(Id),
  key: anyOf(KeyText).meta({ description: 'Full key of the workflow' }),
  q: SearchText.optional().meta({
    description: 'Words in the key of the workflow, each matched from its beginning',
  }),
})

/**
 * The events of a streamed run, in this order: one `started`; for each step `step_started`, any number of
 * `delta` and `tool_call`, then `step`, with the events of parallel steps interleaved; at the end one `done`
 * or one `error`.
 */
export const workflowEvents = {
  started: z.object({ id: Id, run: WorkflowRun }),
  step_started: z.object({ step: z.string(), type: z.enum(stepTypes), parent: Text, attempt: z.int() }),
  delta: z.object({ step: z.string(), text: z.string() }),
  tool_call: ToolCall.extend({ step: z.string() }),
  /** Also sent for each step that is skipped, or reused when an execution is resumed. */
  step: StepResult,
  done: WorkflowRunReply,
} as const

export const stepResultExample: z.input<typeof StepResult> = {
  name: 'urgency',
  type: 'model',
  parent: null,
  branch: null,
  status: 'ok',
  input: 'Is this urgent? Answer yes or no.\n\nThe shop is down',
  output: 'Yes',
  tool_calls: [],
  error: null,
  started_at: '2026-11-21T09:30:00.000Z',
  latency_ms: 640,
  attempts: 1,
  run_id: 1042,
  run_ids: [1042],
  provider: 'openai',
  model: 'gpt-4o-mini',
  prompt_tokens: 21,
  output_tokens: 2,
  tokens: 23,
  tokens_estimated: false,
  cost_usd: 0.0000044,
  taken_over: false,
}
export const workflowRunExample: z.input<typeof WorkflowRun> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b50',
  workflow_id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b40',
  workflow_key: 'support/triage',
  version: 'v2',
  workspace_id: 'default',
  status: 'error',
  error: 'timeout: No response within 20 s',
  failed_step: 'answer',
  user: 'edda',
  run_count: 3,
  step_count: 8,
  steps_done: 4,
  prompt_tokens: 61,
  output_tokens: 42,
  total_tokens: 103,
  tokens_estimated: true,
  cost_usd: 0.0000044,
  latency_ms: 21_310,
  capture: 'off',
  resumed_from: null,
  resumed_step: null,
  resumable: true,
  resume_reason: null,
  created_at: '2026-11-21T09:30:00.000Z',
  finished_at: '2026-11-21T09:30:21.310Z',
}
