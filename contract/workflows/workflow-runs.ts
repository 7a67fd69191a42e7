import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, item, page } from '../common/fields.ts'
import {
  ListOwnRunsQuery,
  ListWorkflowRunsQuery,
  ResumeWorkflowBody,
  RunWorkflowBody,
  stepResultExample,
  WorkflowRun,
  WorkflowRunDetail,
  WorkflowRunReply,
  workflowRunExample,
} from './workflow-run.ts'

const byId = z.object({ id: Id })
const tag = 'Workflows'
const read = { tag, method: 'GET', permission: 'resources.read' } as const
const run = {
  tag,
  method: 'POST',
  permission: 'resources.run',
  idempotent: 'private',
  params: byId,
  reply: WorkflowRunReply,
  replyAs: 'stream',
  problems: ['not_found', 'idempotency.mismatch', 'store.full'],
} as const
const events =
  'With `stream: true` the reply is `text/event-stream`: `started` {id, run}; for each step `step_started` {step, type, parent, attempt}, `delta` {step, text} and `tool_call` as they occur, and `step` with its result; at the end `done` with the complete reply, or `error` with problem details. If the caller disconnects, the execution is cancelled.'
const ended: z.input<typeof WorkflowRun> = {
  ...workflowRunExample,
  status: 'ok',
  error: null,
  failed_step: null,
  steps_done: 8,
  resumable: false,
  resume_reason: 'It succeeded',
}
const replyExample: z.input<typeof WorkflowRunReply> = {
  id: ended.id,
  status: 'ok',
  output: 'Yes',
  steps: [stepResultExample],
  run: ended,
}
const detailExample: z.input<typeof WorkflowRunDetail> = {
  ...workflowRunExample,
  variables: null,
  input: null,
  output: null,
  steps: [{ ...stepResultExample, input: null, output: null }],
}

/** Executions. They are separate from the run log, which contains only their model calls. */
export const workflowRuns = {
  run: endpoint({
    ...run,
    path: '/api/workflows/:id/run',
    workspaces: 'item',
    summary: 'Run a workflow',
    description: `If a step fails, the reply is 200 with \`status: "error"\` and the trace. A missing variable or agent returns 422. ${events}`,
    body: RunWorkflowBody,
    example: { body: { variables: { ticket: 'The shop is down' } }, reply: replyExample },
  }),
  ofWorkflow: endpoint({
    ...read,
    path: '/api/workflows/:id/runs',
    workspaces: 'item',
    summary: 'List the executions of a workflow, newest first',
    params: byId,
    query: ListOwnRunsQuery,
    reply: page(WorkflowRun),
    problems: ['not_found'],
    example: {
      query: 'status=error&limit=20',
      reply: { data: [workflowRunExample], total: 1, next_cursor: null },
    },
  }),
  list: endpoint({
    ...read,
    path: '/api/workflow-runs',
    workspaces: 'filter',
    summary: 'List the executions of all workflows, newest first',
    description: 'A live `changed` frame of the entity `run` is also sent when an execution starts or ends.',
    query: ListWorkflowRunsQuery,
    reply: page(WorkflowRun),
    example: {
      query: 'workspace=default&status=running&q=triage',
      reply: { data: [workflowRunExample], total: 1, next_cursor: null },
    },
  }),
  get: endpoint({
    ...read,
    path: '/api/workflow-runs/:id',
    workspaces: 'item',
    summary: 'Get an execution with its trace',
    description:
      'Statuses, times, tokens and run IDs are always stored; variables, inputs and outputs according to `capture`. Also available while the execution is running.',
    params: byId,
    reply: item(WorkflowRunDetail),
    problems: ['not_found'],
    example: { reply: { data: detailExample } },
  }),
  cancel: endpoint({
    tag,
    method: 'POST',
    path: '/api/workflow-runs/:id/cancel',
    workspaces: 'item',
    summary: 'Cancel a running execution',
    description:
      'Replies when the execution has ended. An execution that already ended is returned unchanged. Cancelling an execution of another user requires the role editor.',
    permission: 'resources.run',
    params: byId,
    reply: item(WorkflowRun),
    problems: ['not_found'],
    example: {
      reply: { data: { ...workflowRunExample, status: 'cancelled', error: null, failed_step: null } },
    },
  }),
  resume: endpoint({
    ...run,
    path: '/api/workflow-runs/:id/resume',
    workspaces: 'item',
    summary: 'Resume from the failed step, as a new execution of the same version',
    description: `Results of successful steps are reused. Returns 422 if the outputs of the steps are no longer available; check \`resumable\` first. ${events}`,
    body: ResumeWorkflowBody,
    example: {
      body: { stream: false },
      reply: {
        ...replyExample,
        run: { ...ended, resumed_from: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b4f', resumed_step: 'answer' },
      },
    },
  }),
}
