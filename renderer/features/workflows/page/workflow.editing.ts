import type { z } from 'zod'
import type { UpdateWorkflowBody, Workflow } from '../../../../contract/workflows/workflow.ts'
import { client } from '../../../lib/service/api.ts'
import type { DefinitionEditing, EditingOf } from '../../../shared/definitions/editor/useDefinitionEditing.ts'
import { changedFields } from '../../../shared/editing/drafts.ts'
import { type EditStep, editStep, wireSteps } from '../steps/steps.ts'

type WorkflowDraft = {
  readonly name: string
  readonly description: string
  readonly steps: readonly EditStep[]
}
export type WorkflowEditing = DefinitionEditing<Workflow, WorkflowDraft>

export const draftOf = ({ name, description, steps }: Workflow): WorkflowDraft => ({
  name,
  description,
  steps: steps.map(editStep),
})

/** Returns the draft in the form displayed in a diff. */
export const comparableDraft = ({ steps, ...rest }: WorkflowDraft): object => ({
  ...rest,
  steps: wireSteps(steps),
})

export const workflowEditing: EditingOf<Workflow, WorkflowDraft> = {
  kind: 'workflow',
  draftOf,
  fetch: async (id) => (await client.workflows.get({ params: { id } })).data,
  update: async (id, before, after, message, etag) => {
    const values = { ...after, steps: wireSteps(after.steps) }
    const body = {
      ...Object.fromEntries(changedFields(before, after).map((field) => [field, values[field]])),
      ...(message.trim() === '' ? {} : { message }),
      // Cast: the steps may be invalid, and the service reports the errors.
    } as z.input<typeof UpdateWorkflowBody>
    return (await client.workflows.update({ params: { id }, body }, { headers: { 'if-match': etag } })).data
  },
}
