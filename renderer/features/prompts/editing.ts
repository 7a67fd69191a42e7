import type { z } from 'zod'
import type { Prompt, Variable } from '../../../contract/prompt.ts'
import type { UpdatePromptBody } from '../../../contract/prompts.ts'

/** A variable as somebody declares it; what is only found in the template is no part of the draft. */
export type Declared = Pick<Variable, 'name' | 'required' | 'default' | 'description' | 'type'>

/** What the page edits: the versioned part and what is said about the prompt. */
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

const fields = ['content', 'model', 'variables', 'name', 'description', 'category', 'tags'] as const
export type DraftField = (typeof fields)[number]

export const changedFields = (before: Draft, after: Draft): DraftField[] =>
  fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))

/** Mine where I changed something, theirs everywhere else; null when both changed the same field. */
export function combine(base: Draft, mine: Draft, theirs: Draft): Draft | null {
  const ours = changedFields(base, mine)
  const others = changedFields(base, theirs)
  const isClash = ours.some((field) => others.includes(field) && changedFields(mine, theirs).includes(field))
  return isClash ? null : preferMine(base, mine, theirs)
}

/** The same, mine where both changed something. */
export const preferMine = (base: Draft, mine: Draft, theirs: Draft): Draft => ({
  ...theirs,
  ...Object.fromEntries(changedFields(base, mine).map((field) => [field, mine[field]])),
})

export const isSame = (a: Draft, b: Draft): boolean => changedFields(a, b).length === 0

const orNull = (text: string): string | null => (text.trim() === '' ? null : text)

/** Only what was changed, so that what somebody else changed meanwhile in another field stays. */
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

/** What stands beside the text, for comparing: the fields that differ, as people declare them. */
export function besideText(draft: Draft, shown: readonly DraftField[]): Record<string, unknown> {
  return Object.fromEntries(
    shown.filter((field) => field !== 'content').map((field) => [field, draft[field]]),
  )
}
