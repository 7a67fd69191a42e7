import { z } from 'zod'
import { Id } from '../common/fields.ts'
import { promptBody, VersionLabel } from './prompt.ts'

/** A prompt with the texts of the prompts that it includes. */
export const ResolvedPrompt = z.object({
  version: z.string().meta({ description: '`v3` or `draft`' }),
  content: promptBody.content,
  messages: promptBody.messages,
  variables: promptBody.variables,
  included: z.array(z.object({ key: z.string(), version: VersionLabel })).meta({
    description: 'Prompts that are included, also by included prompts, with the version in use',
  }),
  problems: z.array(z.object({ include: z.string(), message: z.string() })).meta({
    description: 'Includes that cannot be replaced; they remain as text',
  }),
  included_by: z.array(z.object({ id: Id, key: z.string(), version: VersionLabel.nullable() })).meta({
    description:
      'Prompts whose served version includes this one directly. `version` is the one that they pin; null: the served one',
  }),
})
export type ResolvedPrompt = z.infer<typeof ResolvedPrompt>
