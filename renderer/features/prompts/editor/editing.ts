import type { z } from 'zod'
import type { Prompt, Variable } from '../../../../contract/prompts/prompt.ts'
import type { UpdatePromptBody } from '../../../../contract/prompts/prompts.ts'
import { changedFields } from '../../../shared/editing/drafts.ts'

/** The declaration of a variable. A variable that only occurs in the text is not part of the draft. */
export type Declared = Pick<Variable, 'name' | 'required' | 'default' | 'description' | 'type'>

/** The editable fields: those of a version, and the metadata of the prompt. */
export type Draft = {
  readonly content: string
  readonly model: string
  readonly variables: readonly Declared[]
  readonly name: string
  readonly description: string
  readonly category: string
  readonly tags: readonly string[]
}

export const draftOf = (prompt: Prompt): Draft => ({
  content: prompt.content,
  model: prompt.model ?? '',
  variables: prompt.variables
    .filter((variable) => variable.declared)
    .map(({ name, required, default: value, description, type }) => ({
      name,
      required,
      default: value,
      description,
      type,
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
  const values = {
    content: after.content,
    model: orNull(after.model),
    variables: after.variables.map((variable) => ({ ...variable })),
    name: after.name.trim(),
    description: orNull(after.description),
    category: orNull(after.category),
    tags: [...after.tags],
  }
  return Object.fromEntries(changedFields(before, after).map((field) => [field, values[field]]))
}

/** Returns the given fields except the text, for a diff. */
export function fieldsExceptContent(draft: Draft, fields: readonly DraftField[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.filter((field) => field !== 'content').map((field) => [field, draft[field]]),
  )
}
