import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, item } from '../common/fields.ts'

const sampleKinds = ['workspace', 'prompt', 'agent', 'workflow'] as const
export type SampleKind = (typeof sampleKinds)[number]

export const SampleData = z.object({
  present: z.boolean(),
  workspace_id: Id.nullable().meta({ description: 'The workspace with the sample data' }),
  items: z.int().meta({ description: 'Number of workspaces, prompts, agents and workflows' }),
  runs: z.int().meta({ description: 'Number of sample runs in the run log' }),
})
export type SampleData = z.infer<typeof SampleData>

const common = {
  tag: 'Settings',
  permission: 'settings.manage',
  path: '/api/sample-data',
  workspaces: 'none',
} as const
const present = { present: true, workspace_id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b21', items: 9, runs: 420 }

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
    summary: 'Create sample data: a workspace with prompts, an agent, a workflow and runs',
    description:
      'Each item has an audit entry, as if the caller had created it. The runs are of the last seven days, or of the retention of runs if that is shorter; some have input and output if capture allows. If there is sample data, nothing changes.',
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
      'Also deletes what was made of it: sample prompts in other environments, and changed items. Other content of the workspace is moved to the default workspace. The sample runs are deleted with their part of the statistics; other runs stay in the run log.',
    reply: item(SampleData),
    example: { reply: { data: { present: false, workspace_id: null, items: 0, runs: 0 } } },
  }),
}
