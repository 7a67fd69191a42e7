import { z } from 'zod'
import { anyOf, Id, KeyText, paging, queryTime, SearchText, Timestamp } from './common.ts'
import { CaptureMode, ToolCall } from './models.ts'
import { runFields } from './playground.ts'
import { VersionInput, VersionLabel } from './prompt.ts'
import { stepTypes } from './workflow-step.ts'

/** `interrupted`: the service ended during the execution. */
export const executionStatuses = ['running', 'ok', 'error', 'cancelled', 'interrupted'] as const
export const ExecutionStatus = z.enum(executionStatuses)
export type ExecutionStatus = z.infer<typeof ExecutionStatus>

/** `skipped`: its `when` was false, or its branch was not taken. `not_run`: the execution ended before it. */
export const stepStatuses = [
  'running',
  'ok',
  'error',
  'skipped',
  'cancelled',
  'interrupted',
  'not_run',
] as const
export const StepStatus = z.enum(stepStatuses)
export type StepStatus = z.infer<typeof StepStatus>

const Text = z.string().nullable()
/** The result of one step. A trace has the order of the workflow, each step before its nested steps. */
export const StepResult = z.object({
  name: z.string(),
  type: z.enum(stepTypes),
  parent: Text.meta({ description: 'The `condition` or `parallel` it stands in' }),
  branch: z.enum(['then', 'else']).nullable().meta({ description: 'Of a `condition`: which one it took' }),
  status: StepStatus,
  input: Text.meta({
    description:
      'What it worked on: the text sent to a model, of other steps the output before. Null when it is not kept',
  }),
  output: Text.meta({ description: 'Null when there is none, or it is not kept' }),
  tool_calls: z.array(ToolCall),
  error: Text.meta({ description: '`<type>: <message>`' }),
  started_at: Timestamp.nullable(),
  latency_ms: z.number().nullable(),
  attempts: z.int(),
  run_id: z.int().nullable().meta({ description: 'The run log entry of the last attempt' }),
  run_ids: z.array(z.int()).meta({ description: 'Of every attempt, in order' }),
  provider: Text,
  model: Text,
  prompt_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  tokens: z.int().nullable().meta({ description: 'Of all attempts' }),
  tokens_estimated: z.boolean(),
  cost_usd: z
    .number()
    .nullable()
    .meta({ description: 'Of all attempts; null: not known, or no model was called' }),
  taken_over: z.boolean().meta({ description: 'Not run again: its result is that of the execution resumed' }),
})
export type StepResult = z.infer<typeof StepResult>

export const WorkflowRun = z.object({
  id: Id,
  workflow_id: Id,
  workflow_key: z.string(),
  version: VersionLabel,
  workspace_id: Id,
  status: ExecutionStatus,
  error: Text.meta({ description: 'Of the step that failed first' }),
  failed_step: Text,
  user: z.string(),
  run_count: z.int().meta({ description: 'Calls of models: its entries in the run log (`parent_id`)' }),
  step_count: z.int(),
  steps_done: z.int().meta({ description: 'Ended so far: well, skipped or taken over' }),
  prompt_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  tokens_estimated: z.boolean(),
  cost_usd: z.number().nullable().meta({ description: 'Null when a price is not known' }),
  latency_ms: z
    .number()
    .nullable()
    .meta({ description: 'Null while it is under way, and when nobody knows' }),
  capture: CaptureMode.meta({ description: 'What is kept of variables, input and outputs' }),
  resumed_from: Id.nullable().meta({ description: 'The execution it goes on from' }),
  resumed_step: Text,
  resumable: z.boolean(),
  resume_reason: Text.meta({ description: 'Why not' }),
  created_at: Timestamp,
  finished_at: Timestamp.nullable(),
})
export type WorkflowRun = z.infer<typeof WorkflowRun>

export const WorkflowRunDetail = WorkflowRun.extend({
  variables: z
    .record(z.string(), z.unknown())
    .nullable()
    .meta({ description: 'Null when they are not kept' }),
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

/** Maximum length of `input` in UTF-16 units. */
export const maxInputLength = 262_144
export const RunWorkflowBody = z.strictObject({
  version: VersionInput.optional().meta({ description: 'The newest unless given' }),
  input: z.string().max(maxInputLength).default('').meta({ description: '`{{input}}` of the first step' }),
  ...runFields,
})
export const ResumeWorkflowBody = z
  .strictObject({ capture: runFields.capture, stream: runFields.stream })
  .prefault({})

const listed = {
  ...paging(['created_at', '-created_at'] as const),
  status: anyOf(ExecutionStatus),
  user: anyOf(z.string().min(1).max(64)),
  from: queryTime.optional(),
  to: queryTime.optional(),
}
export const ListOwnRunsQuery = z.strictObject(listed)
export const ListWorkflowRunsQuery = z.strictObject({
  ...listed,
  workspace: anyOf(z.string().min(1).max(64)),
  workflow_id: anyOf(Id),
  key: anyOf(KeyText).meta({ description: "The workflow's whole key" }),
  q: SearchText.optional().meta({ description: 'Words of the key and the error' }),
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
  error: 'timeout: No answer within 20 s',
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
