import { z } from 'zod'
import { VersionLabel } from './prompt.ts'
import { PromptMessage, PromptType } from './prompt-chat.ts'

const Part = z.object({ kind: z.enum(['same', 'added', 'removed']), text: z.string() })
/**
 * One line of a comparison. A changed line is a removed and an added line; `parts` marks the words that
 * differ.
 */
export const DiffLine = z.object({
  kind: z.enum(['same', 'added', 'removed']),
  from_line: z.int().nullable(),
  to_line: z.int().nullable(),
  text: z.string(),
  parts: z.array(Part).optional(),
})
export type DiffLine = z.infer<typeof DiffLine>

/**
 * One message of a comparison. A changed message keeps its place and, unless it is a placeholder, its role or
 * its text.
 */
export const DiffMessage = z.object({
  kind: z.enum(['same', 'added', 'removed', 'changed']),
  from: PromptMessage.nullable(),
  to: PromptMessage.nullable(),
  lines: z.array(DiffLine).optional().meta({ description: 'The text of a changed message, by line' }),
})
export type DiffMessage = z.infer<typeof DiffMessage>

export const DiffParam = z.object({
  name: z.string(),
  from: z.unknown().optional().meta({ description: 'Absent if the parameter was added' }),
  to: z.unknown().optional().meta({ description: 'Absent if the parameter was removed' }),
})
export type DiffParam = z.infer<typeof DiffParam>

export const PromptDiff = z.object({
  from: z.string().meta({ description: '`v3`, `draft`, or `none` if no version is served' }),
  to: z.string(),
  same_as: VersionLabel.nullable().meta({
    description:
      'The newest other version of the prompt of `from` whose content, model, parameters and variables equal those of `to`; null if there is none',
  }),
  identical: z.boolean(),
  added_lines: z.int(),
  removed_lines: z.int(),
  coarse: z.boolean().meta({ description: 'Too different to compare line by line; all lines are replaced' }),
  omitted_lines: z.int().meta({
    description:
      'Number of lines omitted from `lines`, which has at most 20,000: first unchanged lines far from a change',
  }),
  lines: z.array(DiffLine),
  type: z.object({ from: PromptType, to: PromptType }).nullable().meta({ description: 'Null if unchanged' }),
  messages: z.array(DiffMessage).nullable().meta({
    description: 'Null unless both sides are chat prompts. `none` counts as a chat prompt without messages',
  }),
  params: z.array(DiffParam).meta({ description: 'Parameters that differ, by name' }),
  model: z.object({ from: z.string().nullable(), to: z.string().nullable() }).nullable().meta({
    description: 'Null if unchanged',
  }),
  variables: z.object({
    added: z.array(z.string()),
    removed: z.array(z.string()),
    changed: z.array(z.string()).meta({ description: 'Variables whose declaration changed' }),
  }),
})
export type PromptDiff = z.infer<typeof PromptDiff>
