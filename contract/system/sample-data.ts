import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, item } from '../common/fields.ts'

export const sampleKinds = ['workspace', 'prompt', 'agent', 'workflow'] as const
export type SampleKind = (typeof sampleKinds)[number]

/** The sample data of this service. */
export const SampleData = z.object({
  present: z.boolean(),
  workspace_id: Id.nullable().meta({ description: 'The workspace with the sample data' }),
  items: z.int().meta({ description: 'Number of workspaces, prompts, agents and workflows' }),
})
export type SampleData = z.infer<typeof SampleData>

const common = {
  tag: 'Settings',
  permission: 'settings.manage',
  path: '/api/sample-data',
  workspaces: 'none',
} as const
const present = { present: true, workspace_id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b21', items: 8 }

export const sampleData = {
  get: endpoint({
    ...common,
    method: 'GET',
    summary: 'Get the state of the sample data',
    reply: item(SampleData),
    example: { reply: { data: present } },
  }),
  create: endpoint({
    ...common,
    method: 'POST',
    summary: 'Create sample data: a workspace with prompts, an agent and a workflow',
    description:
      'Each item has an audit entry, as if the caller had created it. If there is sample data, nothing changes.',
    reply: item(SampleData),
    status: 201,
    problems: ['store.full'],
    example: { reply: { data: present } },
  }),
  remove: endpoint({
    ...common,
    method: 'DELETE',
    summary: 'Delete all sample data permanently',
    description:
      'Also deletes copies of sample prompts in other environments, and sample items that were changed. Other content of the workspace is moved to the default workspace. Runs stay in the run log.',
    reply: item(SampleData),
    example: { reply: { data: { present: false, workspace_id: null, items: 0 } } },
  }),
}
