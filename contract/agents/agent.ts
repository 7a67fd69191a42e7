import { z } from 'zod'
import { anyOf, clearable, Id } from '../common/fields.ts'
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
import {
  ChatMessages,
  JsonSchema,
  ModelName,
  ModelParams,
  offlineProvider,
  ProviderName,
  ToolDeclarations,
} from '../models/models.ts'
import { runFields } from '../playground/playground.ts'
import { Content, Environment, Variable, VersionInput, VersionLabel } from '../prompts/prompt.ts'
import { PromptKey } from '../resources/key.ts'

/** The behaviour of an agent. Exactly one of `prompt_key` and `content` is set. */
const agentBehaviour = {
  prompt_key: PromptKey.nullable().meta({
    description: 'Key of the prompt whose served version in `env` of the same workspace is used for each run',
  }),
  content: z.string().nullable().meta({ description: 'Custom text, instead of `prompt_key`' }),
  env: Environment.meta({ description: 'Environment of `prompt_key`' }),
  provider: z.string(),
  model: z.string().nullable().meta({
    description: 'Null for the default of the provider',
  }),
  params: ModelParams,
  messages: ChatMessages.meta({ description: 'Messages sent before the prompt: instructions and examples' }),
  tools: ToolDeclarations,
  response_schema: JsonSchema.nullable(),
}
export const Agent = z.object({ ...definitionFields, ...agentBehaviour, ...definitionState })
export type Agent = z.infer<typeof Agent>

/** An agent in a list. With `fields=summary` the long fields are absent. */
export const AgentRow = Agent.extend({
  content: Agent.shape.content.optional(),
  params: Agent.shape.params.optional(),
  messages: Agent.shape.messages.optional(),
  tools: Agent.shape.tools.optional(),
  response_schema: Agent.shape.response_schema.optional(),
})
export type AgentRow = z.infer<typeof AgentRow>

export const AgentVersion = z.object({ ...versionFields, ...agentBehaviour })
export type AgentVersion = z.infer<typeof AgentVersion>

/** Not empty, so that an empty text counts as absent. */
const AgentText = Content.min(1)

/** The fields of a request that set the behaviour. */
const behaviourFields = {
  prompt_key: clearable(PromptKey).meta({ description: 'Replaces `content`' }),
  content: clearable(AgentText).meta({ description: 'Replaces `prompt_key`' }),
  prompt: clearable(AgentText).meta({ description: 'Alias of `content`' }),
  env: Environment.optional().meta({ description: '`prod` by default' }),
  provider: ProviderName.optional().meta({ description: `\`${offlineProvider}\` by default` }),
  model: clearable(ModelName),
  params: clearable(ModelParams),
  messages: clearable(ChatMessages),
  tools: clearable(ToolDeclarations),
  response_schema: clearable(JsonSchema),
}
export const CreateAgentBody = z.strictObject({ ...createFields, ...behaviourFields })
export const UpdateAgentBody = z.strictObject({ ...updateFields, ...behaviourFields })

/** The fields that an import file may set; others are ignored. */
export const ImportedAgent = z.object(behaviourFields)

const agentFilters = {
  provider: anyOf(z.string().min(1).max(64)),
  prompt_key: anyOf(PromptKey).meta({ description: 'Agents that use this prompt' }),
}
export const ListAgentsQuery = z.strictObject({ ...listFields, ...agentFilters })
export const ExportAgentsQuery = z.strictObject({ ...exportFields, ...definitionFilters, ...agentFilters })

/** The current input of an agent: the variables of its text, and whether it can run. */
export const AgentInput = z.object({
  variables: z.array(Variable).meta({ description: 'Variables of the current text' }),
  placeholders: z
    .array(z.string())
    .meta({ description: 'Placeholders for message lists, if the prompt is a chat' }),
  prompt: z.object({ id: Id, key: z.string(), env: Environment, version: VersionLabel }).nullable().meta({
    description: 'Served version of `prompt_key`; null with a custom text, or if none is served',
  }),
  ready: z.boolean().meta({ description: 'Whether there is a text to run' }),
  reason: z.string().nullable().meta({ description: 'Reason why it cannot run; null if `ready`' }),
})
export type AgentInput = z.infer<typeof AgentInput>

export const RunAgentBody = z.strictObject({
  version: VersionInput.optional().meta({ description: 'The newest version by default' }),
  ...runFields,
})

export const agentExample: z.input<typeof Agent> = {
  id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b30',
  workspace_id: 'default',
  key: 'support/answer',
  name: 'Answer a ticket',
  description: 'Drafts the first reply',
  prompt_key: 'support/answer',
  content: null,
  env: 'prod',
  provider: 'openai',
  model: 'gpt-4o',
  params: { temperature: 0.2, max_output_tokens: 800 },
  messages: [
    { role: 'system', content: 'You answer for the support team. Be brief and friendly.' },
    { role: 'user', content: 'Where is my invoice?' },
    { role: 'assistant', content: 'You find every invoice under Account, Billing.' },
  ],
  tools: [
    {
      name: 'find_order',
      description: 'Looks up an order',
      parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    },
  ],
  response_schema: null,
  version: 'v2',
  created_by: 'edda',
  updated_by: 'edda',
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:41:12.400Z',
  etag: '"2"',
}
