import { z } from 'zod'
import { Id, item, Ok, page } from './common.ts'
import {
  byIdAndVersion,
  DefinitionImportReport,
  DuplicateBody,
  ImportDefinitionsBody,
  importReportExample,
  ListDefinitionVersionsQuery,
  RollbackDefinitionBody,
} from './definition.ts'
import { endpoint } from './endpoint.ts'
import {
  CreateWorkflowBody,
  ExportWorkflowsQuery,
  ListWorkflowsQuery,
  UpdateWorkflowBody,
  ValidateWorkflowBody,
  Workflow,
  WorkflowCheck,
  WorkflowRow,
  WorkflowVersion,
  workflowExample,
} from './workflow.ts'

const byId = z.object({ id: Id })
const tag = 'Workflows'
const read = { tag, method: 'GET', permission: 'resources.read' } as const
const write = { tag, permission: 'resources.write', idempotent: true, etag: true } as const
const saving = ['precondition.failed', 'idempotency.mismatch', 'store.full'] as const
const reply = { data: workflowExample }

const { steps, ...rest } = workflowExample
const rowExample: z.input<typeof WorkflowRow> = {
  ...rest,
  step_count: 8,
  last_run: {
    id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b50',
    status: 'ok',
    created_at: '2026-11-21T09:30:00.000Z',
  },
}
const versionExample: z.input<typeof WorkflowVersion> = {
  version: 'v2',
  kind: 'update',
  from: null,
  message: 'Summary beside the answer',
  current: true,
  steps,
  variables: workflowExample.variables,
  created_by: 'edda',
  created_at: '2026-11-21T09:30:00.000Z',
}

export const workflows = {
  list: endpoint({
    ...read,
    path: '/api/workflows',
    summary: 'List workflows',
    query: ListWorkflowsQuery,
    reply: page(WorkflowRow),
    example: {
      query: 'q=triage&fields=summary',
      reply: { data: [rowExample], total: 1, next_cursor: null },
    },
  }),
  export: endpoint({
    ...read,
    path: '/api/workflows/export',
    summary: 'Download workflows as JSON or YAML',
    query: ExportWorkflowsQuery,
    reply: z.unknown(),
    replyAs: 'file',
    mediaTypes: ['application/json', 'application/yaml'],
    example: { query: 'format=yaml&workspace=default', reply: 'workflows:\n  - key: support/triage\n' },
  }),
  import: endpoint({
    tag,
    method: 'POST',
    path: '/api/workflows/import',
    summary: 'Import workflows, all or none, or look first at what would happen',
    description:
      'With `preview` the reply says of every item what would become of it. Without, one refused item refuses all: 422 with the reason of each.',
    permission: 'resources.write',
    idempotent: true,
    body: ImportDefinitionsBody,
    reply: item(DefinitionImportReport),
    problems: ['idempotency.mismatch', 'store.full'],
    example: {
      body: {
        files: [
          {
            name: 'support.yaml',
            content: 'workflows:\n  - key: hi\n    steps:\n      - {name: hi, type: render, template: Hi}\n',
          },
        ],
        preview: true,
      },
      reply: { data: importReportExample },
    },
  }),
  validate: endpoint({
    tag,
    method: 'POST',
    path: '/api/workflows/validate',
    summary: 'Say everything that is wrong with steps, and keep nothing',
    permission: 'resources.read',
    body: ValidateWorkflowBody,
    reply: item(WorkflowCheck),
    example: {
      body: { steps: [{ name: 'a', type: 'render', template: '{{steps.b.output}} {{who}}' }] },
      reply: {
        data: {
          ok: false,
          findings: [
            { severity: 'error', path: 'steps.0.template', step: 'a', message: 'There is no step b' },
          ],
          variables: ['who'],
          step_count: 1,
        },
      },
    },
  }),
  create: endpoint({
    ...write,
    method: 'POST',
    path: '/api/workflows',
    summary: 'Create a workflow; its steps are v1',
    body: CreateWorkflowBody,
    reply: item(Workflow),
    status: 201,
    problems: ['workflow.key_taken', 'idempotency.mismatch', 'store.full'],
    example: { body: { key: 'support/triage', name: 'Triage a ticket', steps }, reply },
  }),
  get: endpoint({
    ...read,
    path: '/api/workflows/:id',
    summary: 'One workflow',
    etag: true,
    params: byId,
    reply: item(Workflow),
    problems: ['not_found'],
    example: { reply },
  }),
  update: endpoint({
    ...write,
    method: 'PATCH',
    alias: 'PUT',
    path: '/api/workflows/:id',
    summary: 'Change a workflow',
    description:
      '`name` and `description` count at once, `workspace_id` moves it; other `steps` make the next version, which is what runs.',
    params: byId,
    body: UpdateWorkflowBody,
    reply: item(Workflow),
    problems: ['not_found', 'workflow.key_taken', ...saving],
    example: { body: { steps, message: 'Summary beside the answer' }, reply },
  }),
  remove: endpoint({
    ...write,
    method: 'DELETE',
    path: '/api/workflows/:id',
    summary: 'Delete a workflow and its versions; its executions stay in the log',
    params: byId,
    reply: Ok,
    problems: ['not_found', 'precondition.failed'],
    example: { reply: { ok: true } },
  }),
  duplicate: endpoint({
    ...write,
    method: 'POST',
    path: '/api/workflows/:id/duplicate',
    summary: 'Copy a workflow under another key, or into another workspace',
    params: byId,
    body: DuplicateBody,
    reply: item(Workflow),
    status: 201,
    problems: ['not_found', 'workflow.key_taken', 'store.full'],
    example: {
      body: { key: 'support/triage-copy' },
      reply: { data: { ...workflowExample, key: 'support/triage-copy', version: 'v1' } },
    },
  }),
  versions: endpoint({
    ...read,
    path: '/api/workflows/:id/versions',
    summary: 'The versions of a workflow, newest first; none ever changes',
    params: byId,
    query: ListDefinitionVersionsQuery,
    reply: page(WorkflowVersion),
    problems: ['not_found'],
    example: { query: 'limit=20', reply: { data: [versionExample], total: 1, next_cursor: null } },
  }),
  version: endpoint({
    ...read,
    path: '/api/workflows/:id/versions/:version',
    summary: 'One version',
    params: byIdAndVersion,
    reply: item(WorkflowVersion),
    problems: ['not_found'],
    example: { reply: { data: versionExample } },
  }),
  rollback: endpoint({
    ...write,
    method: 'POST',
    path: '/api/workflows/:id/rollback',
    summary: 'Run the steps of an older version, as a new version',
    params: byId,
    body: RollbackDefinitionBody,
    reply: item(Workflow),
    problems: ['not_found', ...saving],
    example: { body: { version: 'v1' }, reply },
  }),
}
