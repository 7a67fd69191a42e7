import type { z } from 'zod'
import type { CreateAgentBody } from '../../../contract/agents/agent.ts'
import type { CreatePromptBody } from '../../../contract/prompts/prompts.ts'
import type { CreateWorkflowBody } from '../../../contract/workflows/workflow.ts'

export const sampleWorkspace = {
  name: 'Sample data',
  description: 'Examples to try Promptdeck with. An admin can delete all of them in Settings.',
}

type Input<S extends z.ZodType> = Omit<z.input<S>, 'workspace_id'>

export const samplePrompts: readonly Input<typeof CreatePromptBody>[] = [
  {
    key: 'sample/greeting',
    env: 'dev',
    name: 'Greeting',
    description: 'Greets a customer by name',
    content: 'Write a short, friendly greeting for {{customer.name}}, who visits {{shop}}.',
    variables: [
      { name: 'customer.name', required: true, description: 'Name of the customer' },
      { name: 'shop', required: false, default: 'our shop' },
    ],
    tags: ['sample'],
  },
  {
    key: 'sample/summary',
    env: 'dev',
    name: 'Summary',
    description: 'Summarizes a text in a few sentences',
    content: 'Summarize the text in {{sentences}} sentences. Name the next step.\n\n{{text}}',
    variables: [
      { name: 'sentences', required: false, default: '2' },
      { name: 'text', required: true, description: 'The text to summarize' },
    ],
    tags: ['sample'],
  },
  {
    key: 'sample/tone',
    env: 'dev',
    name: 'Tone',
    description: 'Names the tone of a message in one word',
    content: 'In one word, what is the tone of this message?\n\n{{input}}',
    variables: [{ name: 'input', required: true, description: 'The message of a customer' }],
    tags: ['sample'],
  },
]

/** The second version of a prompt, so that there is something to compare. */
export const sampleChange = {
  key: 'sample/greeting',
  content:
    'Write a short, friendly greeting for {{customer.name}}, who visits {{shop}}.\nUse at most two sentences.',
  message: 'Limit the length',
}

export const sampleAgents: readonly Input<typeof CreateAgentBody>[] = [
  {
    key: 'sample/summary',
    name: 'Summarize a text',
    description: 'Runs the prompt sample/summary on the offline provider',
    prompt_key: 'sample/summary',
    env: 'prod',
  },
]

export const sampleWorkflows: readonly Input<typeof CreateWorkflowBody>[] = [
  {
    key: 'sample/ticket',
    name: 'Read a ticket',
    description: 'Judges the tone of a ticket and summarizes it',
    steps: [
      { name: 'tone', type: 'model', template: 'In one word, what is the tone of this?\n\n{{ticket}}' },
      { name: 'summary', type: 'agent', agent_key: 'sample/summary', variables: { text: '{{ticket}}' } },
    ],
  },
]

const keysOf = (samples: readonly { readonly key: string }[]): string[] => samples.map(({ key }) => key)

/** The keys of the sample items of each kind. */
export const sampleKeys = {
  prompt: keysOf(samplePrompts),
  agent: keysOf(sampleAgents),
  workflow: keysOf(sampleWorkflows),
}
