import type { z } from 'zod'
import type { Agent, UpdateAgentBody } from '../../../../contract/agents/agent.ts'
import { t } from '../../../lib/i18n.ts'
import { client, fieldErrors } from '../../../lib/service/api.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import type { DefinitionEditing, EditingOf } from '../../../shared/definitions/editor/useDefinitionEditing.ts'
import { changedFields } from '../../../shared/editing/drafts.ts'
import { jsonError } from '../../../shared/models/JsonField.tsx'

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

/** The editable fields of an agent. A response schema that is not valid JSON stays text. */
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
  // Only one of `prompt_key` and `content` may be sent; setting one clears the other.
  const isSent = (field: string): boolean =>
    field === 'prompt_key' ? after.prompt_key !== null : field === 'content' ? after.content !== null : true
  return Object.fromEntries(changed.filter(isSent).map((field) => [field, after[field]]))
}

export const agentEditing: EditingOf<Agent, AgentDraft> = {
  kind: 'agent',
  draftOf,
  fetch: async (id) => (await client.agents.get({ params: { id } })).data,
  update: async (id, before, after, message, etag) => {
    const body = { ...patchOf(before, after), ...(message.trim() === '' ? {} : { message }) }
    return (await client.agents.update({ params: { id }, body }, { headers: { 'if-match': etag } })).data
  },
}

/** Returns the errors that the console finds before saving, by field. */
function draftErrorsOf(draft: AgentDraft): Readonly<Record<string, string>> {
  const errors: Record<string, string> = {}
  if (draft.prompt_key !== null && draft.prompt_key.trim() === '') {
    errors['prompt_key'] = t('agents:form.prompt_missing')
  }
  if (draft.content !== null && draft.content.trim() === '') {
    errors['content'] = t('agents:form.content_missing')
  }
  if (draft.name.trim() === '') errors['name'] = t('agents:form.name_missing')
  const schema = jsonError(draft.response_schema)
  if (schema !== undefined) errors['response_schema'] = schema
  draft.tools.forEach(({ name, parameters }, index) => {
    if (name === '') errors[`tools.${index}.name`] = t('agents:form.tool_name_missing')
    const error = jsonError(parameters)
    if (error !== undefined) errors[`tools.${index}.parameters`] = error
  })
  return errors
}

/** Returns the first reason why the draft cannot be saved; null if it can. */
export const saveDisabledReasonOf = (draft: AgentDraft): DisabledReason =>
  Object.values(draftErrorsOf(draft))[0] ?? null

/** Returns a lookup of errors by field: those of the console first, then those of the last reply. */
export function fieldErrorLookup(editing: AgentEditing): (path: string) => string | undefined {
  const local = draftErrorsOf(editing.draft)
  const replied = fieldErrors(editing.failure)
  return (path) => local[path] ?? replied[path]
}
