import { z } from 'zod'
import { anyOf, KeyText, paging, SearchText } from '../common/fields.ts'
import { resourceSorts } from '../resources/versioned.ts'
import { Environment, Prompt } from './prompt.ts'

/**
 * `folder=billing` matches that folder and all folders in it; `folder=/` matches prompts without a folder.
 */
const Folder = KeyText
export const promptFilters = {
  workspace: anyOf(z.string().min(1).max(64)),
  env: anyOf(Environment),
  folder: Folder.optional(),
  key: anyOf(KeyText).meta({ description: 'Full key' }),
  category: anyOf(z.string().min(1).max(64)),
  tag: anyOf(z.string().min(1).max(64)),
}
export const promptListFilters = {
  ...promptFilters,
  draft: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ description: 'Only prompts with, or without, an unpublished draft' }),
  q: SearchText.optional().meta({
    description:
      'Words of key, name, description, category, tags and content, each matched from its beginning',
  }),
}
export const ListPromptsQuery = z.strictObject({
  ...paging(resourceSorts),
  ...promptListFilters,
  include: z.literal('deleted').optional().meta({
    description: 'List the trash instead: deleted prompts that can be restored',
  }),
  fields: z
    .literal('summary')
    .optional()
    .meta({ description: '`summary` omits content, messages, params and variables' }),
})

const longFields = {
  content: Prompt.shape.content.optional(),
  messages: Prompt.shape.messages.optional(),
  params: Prompt.shape.params.optional(),
  variables: Prompt.shape.variables.optional(),
}
/** A prompt in a list. With `fields=summary` the long fields are absent. */
export const PromptRow = Prompt.extend({
  ...longFields,
  served: z
    .object({
      version: z.string(),
      type: Prompt.shape.type,
      model: z.string().nullable(),
      ...longFields,
    })
    .nullable(),
  client_count: z
    .int()
    .meta({ description: 'Number of connected clients that use this key in this environment' }),
})
export type PromptRow = z.infer<typeof PromptRow>

const Counted = z.object({ name: z.string(), count: z.int() })
/** The values that the filters of a list can have. */
export const PromptFacets = z.object({
  folders: z.array(z.object({ path: z.string(), count: z.int(), total: z.int() })).meta({
    description:
      '`count`: prompts directly in the folder; `total`: also those in its subfolders. Parent folders are listed too. An empty `path` means no folder',
  }),
  envs: z.array(z.object({ name: Environment, count: z.int() })),
  categories: z.array(Counted),
  tags: z.array(Counted),
  drafts: z.int(),
  deleted: z.int(),
})
export type PromptFacets = z.infer<typeof PromptFacets>
