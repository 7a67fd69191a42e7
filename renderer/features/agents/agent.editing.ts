import type { z } from 'zod'
import type { Agent, UpdateAgentBody } from '../../../contract/agent.ts'
import { client, fieldErrors } from '../../lib/api.ts'
import { t } from '../../lib/i18n.ts'
import type { Verdict } from '../../lib/me.ts'
import {
  changedFields,
  type DefinitionEditing,
  type EditingOf,
} from '../../ui/definition/useDefinitionEditing.ts'
import { jsonFault } from '../../ui/model/JsonField.tsx'

const fields = [
  'name',
  'description',
  'prompt_key',
  'content',
  'env',
  'provider',
  'model',
  'params',
  'messages',
  'tools',
  'response_schema',
] as const

/** What the page edits. A schema that is no JSON yet is kept as its text. */
type AgentDraft = Pick<Agent, (typeof fields)[number]>
export type AgentEditing = DefinitionEditing<Agent, AgentDraft>

export const draftOf = (agent: Agent): AgentDraft => ({
  name: agent.name,
  description: agent.description,
  prompt_key: agent.prompt_key,
  content: agent.content,
  env: agent.env,
  provider: agent.provider,
  model: agent.model,
  params: agent.params,
  messages: agent.messages,
  tools: agent.tools,
  response_schema: agent.response_schema,
})

function patchOf(before: AgentDraft, after: AgentDraft): z.input<typeof UpdateAgentBody> {
  const changed = changedFields(before, after)
  // Giving one of the two takes the place of the other.
  const isGiven = (field: string): boolean =>
    field === 'prompt_key' ? after.prompt_key !== null : field === 'content' ? after.content !== null : true
  return Object.fromEntries(changed.filter(isGiven).map((field) => [field, after[field]]))
}

export const agentEditing: EditingOf<Agent, AgentDraft> = {
  kind: 'agent',
  draftOf,
  update: async (id, before, after, message, etag) => {
    const body = { ...patchOf(before, after), ...(message.trim() === '' ? {} : { message }) }
    return (await client.agents.update({ params: { id }, body }, { headers: { 'if-match': etag } })).data
  },
}

/** What is wrong with a field, as far as that is known before it is sent. */
function faultsOf(draft: AgentDraft): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  if (draft.prompt_key !== null && draft.prompt_key.trim() === '') {
    found['prompt_key'] = t('agents:form.prompt_missing')
  }
  if (draft.content !== null && draft.content.trim() === '') {
    found['content'] = t('agents:form.content_missing')
  }
  if (draft.name.trim() === '') found['name'] = t('agents:form.name_missing')
  const schema = jsonFault(draft.response_schema)
  if (schema !== undefined) found['response_schema'] = schema
  draft.tools.forEach(({ name, parameters }, index) => {
    if (name === '') found[`tools.${index}.name`] = t('agents:form.tool_name_missing')
    const fault = jsonFault(parameters)
    if (fault !== undefined) found[`tools.${index}.parameters`] = fault
  })
  return found
}

/** What keeps the draft from being saved. */
export const whyNotSave = (draft: AgentDraft): Verdict => Object.values(faultsOf(draft))[0] ?? null

/** Also what the service said of it, until something is changed. */
export function faultOf(editing: AgentEditing): (path: string) => string | undefined {
  const local = faultsOf(editing.draft)
  const answered = fieldErrors(editing.failure)
  return (path) => local[path] ?? answered[path]
}
