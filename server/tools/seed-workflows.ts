import type { z } from 'zod'
import { CreateAgentBody } from '../../contract/agents/agent.ts'
import { CreateWorkflowBody } from '../../contract/workflows/workflow.ts'
import { RunWorkflowBody } from '../../contract/workflows/workflow-run.ts'
import type { AgentsService } from '../features/agents/agents.service.ts'
import type { ExecutionsService } from '../features/workflows/executions/executions.service.ts'
import type { WorkflowsService } from '../features/workflows/workflows.service.ts'
import type { Actor, Context } from '../lib/context.ts'

type Services = {
  readonly agents: AgentsService
  readonly workflows: WorkflowsService
  readonly executions: ExecutionsService
}

/** Agents as a client sends them. The contract adds the defaults. */
const agents: readonly z.input<typeof CreateAgentBody>[] = [
  {
    key: 'support/answer',
    name: 'Answer a ticket',
    workspace_id: 'customer-support',
    prompt_key: 'support/answer',
    params: { temperature: 0.2 },
    messages: [{ role: 'system', content: 'You answer for the support team. Be brief and friendly.' }],
  },
  {
    key: 'support/tone',
    name: 'Judge the tone',
    workspace_id: 'customer-support',
    content: 'In one word, what is the tone of this?\n\n{{input}}',
  },
  {
    key: 'sales/offer',
    name: 'Draft an offer',
    workspace_id: 'sales',
    prompt_key: 'sales/offer',
    model: 'mock-large',
    tools: [
      {
        name: 'find_price',
        description: 'Looks a price up',
        parameters: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
      },
    ],
  },
  {
    key: 'search/rewrite',
    name: 'Rewrite a query',
    workspace_id: 'search',
    content: 'Rewrite for a search engine: {{query}}',
    params: { max_output_tokens: 60 },
  },
]

const workflows: readonly {
  readonly body: z.input<typeof CreateWorkflowBody>
  readonly runs: readonly Readonly<Record<string, unknown>>[]
}[] = [
  {
    body: {
      key: 'support/triage',
      name: 'Triage a ticket',
      description: 'Judges the tone, and answers what is urgent',
      workspace_id: 'customer-support',
      steps: [
        { name: 'read', type: 'render', template: 'Ticket of {{customer}}:\n{{ticket}}' },
        {
          name: 'look',
          type: 'parallel',
          steps: [
            { name: 'tone', type: 'agent', agent_key: 'support/tone' },
            { name: 'summary', type: 'model', template: 'Summarise in a line: {{input}}', retry: { max: 2 } },
          ],
        },
        {
          name: 'urgent',
          type: 'condition',
          when: { value: '{{ticket}}', op: 'contains', to: 'down' },
          // biome-ignore lint/suspicious/noThenProperty: a name of the wire
          then: [
            {
              name: 'answer',
              type: 'agent',
              agent_key: 'support/answer',
              variables: { input: '{{steps.read.output}}', 'customer.name': '{{customer}}' },
              timeout_ms: 20_000,
            },
          ],
          else: [{ name: 'queue', type: 'render', template: 'Queued: {{steps.summary.output}}' }],
        },
        { name: 'tidy', type: 'transform', op: 'trim' },
      ],
    },
    runs: [
      { customer: 'Ada', ticket: 'The shop is down' },
      { customer: 'Bo', ticket: 'Where is my invoice?' },
      { customer: 'Cy', ticket: 'Checkout is down again' },
    ],
  },
  {
    body: {
      key: 'search/extract',
      name: 'Take a field out of JSON',
      workspace_id: 'search',
      steps: [
        { name: 'source', type: 'render', template: '{{json}}' },
        { name: 'title', type: 'transform', op: 'json_path', path: '$.items[0].title' },
        { name: 'shout', type: 'transform', op: 'upper' },
      ],
    },
    runs: [{ json: '{"items":[{"title":"Blue shoes"}]}' }, { json: 'not JSON at all' }],
  },
  {
    body: {
      key: 'greet',
      name: 'Greet loudly',
      steps: [
        { name: 'ask', type: 'render', template: 'Hi {{who}}' },
        { name: 'answer', type: 'model', provider: 'mock' },
        { name: 'shout', type: 'transform', op: 'upper' },
      ],
    },
    runs: [{ who: 'world' }],
  },
]

/**
 * Creates agents, workflows and a few executions with the offline provider, one of which fails. Existing ones
 * are not changed.
 */
export async function seedWorkflows(
  services: Services,
  contextOf: (actor: Actor | undefined) => Context,
  actors: readonly Actor[],
): Promise<void> {
  for (const [index, body] of agents.entries()) {
    const ctx = contextOf(actors[index % 4])
    const { workspace_id: workspace = 'default', key } = body
    const { total } = await services.agents.list(ctx, { limit: 1, workspace: [workspace], key: [key] })
    if (total === 0) await services.agents.create(ctx, CreateAgentBody.parse(body))
  }
  for (const [index, { body, runs }] of workflows.entries()) {
    const ctx = contextOf(actors[index % 4])
    const { workspace_id: workspace = 'default', key } = body
    const { total } = await services.workflows.list(ctx, { limit: 1, workspace: [workspace], key: [key] })
    if (total > 0) continue
    const { id } = await services.workflows.create(ctx, CreateWorkflowBody.parse(body))
    for (const variables of runs) {
      const input = RunWorkflowBody.parse({ variables })
      await services.executions.run(contextOf(actors[index % 4]), id, input, new AbortController().signal)
    }
  }
}
