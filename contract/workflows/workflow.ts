import { z } from 'zod'
import { Id, readOnly, Timestamp } from '../common/fields.ts'
import {
  createFields,
  definitionFields,
  definitionFilters,
  definitionState,
  exportFields,
  listFields,
  updateFields,
  versionFields,
} from '../definitions/definition.ts'
import { executionStatuses } from './workflow-run.ts'
import { WorkflowStep, WorkflowSteps } from './workflow-step.ts'

const behaviourFields = {
  steps: z.array(WorkflowStep),
  variables: z
    .array(z.string())
    .meta({ description: 'Variables used by the steps; a run must provide each of them' }),
}
export const Workflow = z.object({ ...definitionFields, ...behaviourFields, ...definitionState })
export type Workflow = z.infer<typeof Workflow>

/** A workflow in a list. With `fields=summary` the steps are absent. */
export const WorkflowRow = Workflow.extend({
  steps: Workflow.shape.steps.optional(),
  step_count: z.int().meta({ description: 'Includes nested steps' }),
  last_run: z.object({ id: Id, status: z.enum(executionStatuses), created_at: Timestamp }).nullable(),
})
export type WorkflowRow = z.infer<typeof WorkflowRow>

export const WorkflowVersion = z.object({ ...versionFields, ...behaviourFields })
export type WorkflowVersion = z.infer<typeof WorkflowVersion>

export const CreateWorkflowBody = z.strictObject({ ...createFields, steps: WorkflowSteps })
export const UpdateWorkflowBody = z.strictObject({
  ...updateFields,
  ...readOnly('variables'),
  steps: WorkflowSteps.optional(),
})
export const ListWorkflowsQuery = z.strictObject(listFields)
export const ExportWorkflowsQuery = z.strictObject({ ...exportFields, ...definitionFilters })

export const ValidateWorkflowBody = z.strictObject({
  steps: z.array(z.unknown()).max(1000).meta({ description: 'Steps as edited; any JSON is accepted' }),
  workspace_id: z.string().min(1).max(64).default('default').meta({
    description: 'ID or slug of the workspace of the agents',
  }),
})
export const WorkflowFinding = z.object({
  severity: z.enum(['error', 'warning']).meta({ description: 'Steps with an error cannot be saved' }),
  path: z.string().meta({ description: '`steps.2.template`, `steps.1.then.0.agent_key`' }),
  step: z.string().nullable().meta({ description: 'Name of the step, if it has one' }),
  message: z.string(),
})
export type WorkflowFinding = z.infer<typeof WorkflowFinding>
export const WorkflowCheck = z.object({
  ok: z.boolean().meta({ description: 'Whether the steps can be saved; there may be warnings' }),
  findings: z.array(WorkflowFinding),
  variables: z.array(z.string()),
  step_count: z.int(),
})
export type WorkflowCheck = z.infer<typeof WorkflowCheck>

export const workflowExample: z.input<typeof Workflow> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b40',
  workspace_id: 'default',
  key: 'support/triage',
  name: 'Triage a ticket',
  description: 'Classifies mail and replies to urgent mail',
  steps: [
    { name: 'ask', type: 'render', template: 'Is this urgent? Answer yes or no.\n\n{{ticket}}' },
    {
      name: 'urgency',
      type: 'model',
      provider: 'openai',
      model: 'gpt-4o-mini',
      timeout_ms: 20_000,
      retry: { max: 2, backoff_ms: 500 },
    },
    { name: 'tidy', type: 'transform', op: 'lower' },
    {
      name: 'urgent',
      type: 'condition',
      when: { value: '{{input}}', op: 'contains', to: 'yes' },
      // biome-ignore lint/suspicious/noThenProperty: a field name of the API; nothing awaits a workflow
      then: [
        {
          name: 'both',
          type: 'parallel',
          steps: [
            {
              name: 'answer',
              type: 'agent',
              agent_key: 'support/answer',
              variables: { question: '{{ticket}}' },
            },
            { name: 'summary', type: 'model', template: 'Summarise: {{ticket}}', provider: 'mock' },
          ],
        },
      ],
      else: [{ name: 'later', type: 'render', template: 'Queued: {{steps.ask.output}}' }],
    },
  ],
  variables: ['ticket'],
  version: 'v2',
  created_by: 'edda',
  updated_by: 'edda',
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:41:12.400Z',
  etag: '"2"',
}
