import type { z } from 'zod'
import { chatText } from '../../../../contract/models/chat.ts'
import type { Prompt, Variable } from '../../../../contract/prompts/prompt.ts'
import type { PromptMessage, PromptType } from '../../../../contract/prompts/prompt-chat.ts'
import type { PromptParams } from '../../../../contract/prompts/prompt-params.ts'
import type { UpdatePromptBody } from '../../../../contract/prompts/prompts.ts'
import { changedFields } from '../../../shared/editing/drafts.ts'

/** The declaration of a variable. A variable that only occurs in the text is not part of the draft. */
export type Declared = Pick<Variable, 'name' | 'required' | 'default' | 'description' | 'type' | 'example'>

/** The editable fields: those of a version, and the metadata of the prompt. */
export type Draft = {
  readonly type: PromptType
  /** The text; unused for a chat. */
  readonly content: string
  /** The messages of a chat; empty for a text. */
  readonly messages: readonly PromptMessage[]
  readonly model: string
  readonly params: PromptParams
  readonly variables: readonly Declared[]
  readonly name: string
  readonly description: string
  readonly category: string
  readonly tags: readonly string[]
}

export const draftOf = (prompt: Prompt): Draft => ({
  type: prompt.type,
  content: prompt.content,
  messages: prompt.messages ?? [],
  params: prompt.params,
  model: prompt.model ?? '',
  variables: prompt.variables
    .filter((variable) => variable.declared)
    .map(({ name, required, default: value, description, type, example }) => ({
      name,
      required,
      default: value,
      description,
      type,
      ...(example !== undefined && { example }),
    })),
  name: prompt.name,
  description: prompt.description,
  category: prompt.category ?? '',
  tags: prompt.tags,
})

export type DraftField = keyof Draft

const orNull = (text: string): string | null => (text.trim() === '' ? null : text)

/** Returns the changed fields as a request body, so that changes of others to other fields stay. */
export function patchOf(before: Draft, after: Draft): z.input<typeof UpdatePromptBody> {
  const isChat = after.type === 'chat'
  const values = {
    type: after.type,
    content: after.content,
    messages: [...after.messages],
    params: after.params,
    model: orNull(after.model),
    variables: after.variables.map((variable) => ({ ...variable })),
    name: after.name.trim(),
    description: orNull(after.description),
    category: orNull(after.category),
    tags: [...after.tags],
  }
  const unused = isChat ? 'content' : 'messages'
  return Object.fromEntries(
    changedFields(before, after)
      .filter((field) => field !== unused)
      .map((field) => [field, values[field]]),
  )
}

/** Returns the text of a draft; of a chat its messages as text. */
export const textOf = ({ type, content, messages }: Draft): string =>
  type === 'chat' ? chatText(messages) : content

/** Returns the given fields except the text, for a diff. */
export function fieldsExceptContent(draft: Draft, fields: readonly DraftField[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.filter((field) => field !== 'content').map((field) => [field, draft[field]]),
  )
}
