import type { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { item, page } from '../common/fields.ts'
import { definitionEndpoints } from '../definitions/definition-endpoints.ts'
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

const tag = 'Workflows'
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

const {
  list,
  export: download,
  import: upload,
  ...others
} = definitionEndpoints({
  tag,
  nounWithArticle: 'a workflow',
  plural: 'workflows',
  path: '/api/workflows',
  keyTaken: 'workflow.key_taken',
  schemas: {
    single: item(Workflow),
    rows: page(WorkflowRow),
    version: item(WorkflowVersion),
    versions: page(WorkflowVersion),
    create: CreateWorkflowBody,
    update: UpdateWorkflowBody,
    list: ListWorkflowsQuery,
    export: ExportWorkflowsQuery,
  },
  texts: {
    get: 'Get a workflow',
    create: 'Create a workflow with its steps as v1',
    update:
      '`name` and `description` apply immediately, and `workspace_id` moves the workflow. Different `steps` create the next version, which then runs.',
    remove: 'Delete a workflow and its versions; its executions are not deleted',
    rollback: 'Roll back to an older version, as a new version',
  },
  examples: {
    single: reply,
    copy: { data: { ...workflowExample, key: 'support/triage-copy', version: 'v1' } },
    rows: { data: [rowExample], total: 1, next_cursor: null },
    version: { data: versionExample },
    versions: { data: [versionExample], total: 1, next_cursor: null },
    create: { key: 'support/triage', name: 'Triage a ticket', steps },
    update: { steps, message: 'Summary beside the answer' },
    rollback: { version: 'v1' },
    copyKey: 'support/triage-copy',
    listQuery: 'q=triage&fields=summary',
    exported: 'workflows:\n  - key: support/triage\n',
    file: 'workflows:\n  - key: hi\n    steps:\n      - {name: hi, type: render, template: Hi}\n',
  },
})

export const workflows = {
  list,
  export: download,
  import: upload,
  validate: endpoint({
    tag,
    method: 'POST',
    path: '/api/workflows/validate',
    workspaces: 'input',
    summary: 'Validate steps without saving them',
    permission: 'resources.read',
    body: ValidateWorkflowBody,
    reply: item(WorkflowCheck),
    example: {
      body: { steps: [{ name: 'a', type: 'render', template: '{{steps.b.output}} {{who}}' }] },
      reply: {
        data: {
          ok: false,
          findings: [{ severity: 'error', path: 'steps.0.template', step: 'a', message: 'Step b not found' }],
          variables: ['who'],
          step_count: 1,
        },
      },
    },
  }),
  ...others,
}
