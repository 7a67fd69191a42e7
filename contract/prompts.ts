import { z } from 'zod'
import { anyOf, clearable, Id, item, Ok, page, paging, SearchText } from './common.ts'
import { endpoint } from './endpoint.ts'
import {
  Category,
  Content,
  Environment,
  Model,
  Prompt,
  PromptDescription,
  PromptKey,
  PromptName,
  promptExample,
  TagsInput,
  VariablesInput,
} from './prompt.ts'

const workspaceRef = z.string().min(1).max(64).meta({ description: 'Id or slug; `default` unless given' })

const changeable = {
  name: PromptName.optional(),
  description: clearable(PromptDescription),
  content: Content.optional(),
  model: clearable(Model),
  variables: VariablesInput.optional(),
  category: clearable(Category),
  tags: clearable(TagsInput),
  workspace_id: workspaceRef.optional(),
}

export const CreatePromptBody = z.strictObject({
  ...changeable,
  key: PromptKey,
  env: Environment.default('dev'),
  draft: z
    .boolean()
    .default(false)
    .meta({ description: 'Keep it as a draft instead of publishing it as v1' }),
  message: z.string().max(1000).optional(),
})

export const UpdatePromptBody = z.strictObject({
  ...changeable,
  key: PromptKey.optional().meta({ description: 'Accepted when it is the key it has; a key never changes' }),
  env: Environment.optional().meta({ description: 'Accepted when it is the one it has' }),
})

export const DuplicatePromptBody = z.strictObject({
  key: PromptKey.optional().meta({
    description: '`<key>-copy` unless given, when it stays beside the first',
  }),
  env: Environment.optional(),
  workspace_id: workspaceRef.optional(),
  name: PromptName.optional(),
})

/** `folder=billing` is that folder and all below it; `folder=/` what stands in none. */
const Folder = z.string().min(1).max(128)
export const promptFilters = {
  workspace: anyOf(z.string().min(1).max(64)),
  env: anyOf(Environment),
  folder: Folder.optional(),
  category: anyOf(z.string().min(1).max(64)),
  tag: anyOf(z.string().min(1).max(64)),
}
export const promptSorts = [
  'key',
  '-key',
  'name',
  '-name',
  'created_at',
  '-created_at',
  'updated_at',
  '-updated_at',
] as const

export const ListPromptsQuery = z.strictObject({
  ...paging(promptSorts),
  ...promptFilters,
  draft: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .meta({ description: 'Only those with, or without, an unpublished draft' }),
  q: SearchText.optional().meta({
    description:
      'Words of key, name, description, category, tags and content, each matched from its beginning',
  }),
  include: z.literal('deleted').optional().meta({
    description: 'The trash instead: what was deleted and can still be restored',
  }),
  fields: z.literal('summary').optional().meta({ description: 'Rows without content and variables' }),
})

/** A prompt as a list shows it; with `fields=summary` without the long parts. */
export const PromptRow = Prompt.extend({
  content: Prompt.shape.content.optional(),
  variables: Prompt.shape.variables.optional(),
  served: z
    .object({
      version: z.string(),
      model: z.string().nullable(),
      content: z.string().optional(),
      variables: Prompt.shape.variables.optional(),
    })
    .nullable(),
  client_count: z.int().meta({ description: 'Live clients that use this key in this environment' }),
})
export type PromptRow = z.infer<typeof PromptRow>

const Counted = z.object({ name: z.string(), count: z.int() })
/** What the filters of a list can be set to. */
export const PromptFacets = z.object({
  folders: z.array(z.object({ path: z.string(), count: z.int(), total: z.int() })).meta({
    description:
      '`count`: directly in it, `total`: with all below it. Every parent is there; `path` empty: none',
  }),
  envs: z.array(z.object({ name: Environment, count: z.int() })),
  categories: z.array(Counted),
  tags: z.array(Counted),
  drafts: z.int(),
  deleted: z.int(),
})
export type PromptFacets = z.infer<typeof PromptFacets>

export const byId = z.object({ id: Id })
const { served, variables, content, ...rest } = promptExample
const rowExample: z.input<typeof PromptRow> = {
  ...rest,
  served: served && { version: served.version, model: served.model },
  client_count: 14,
}
const draftExample = { ...promptExample, has_draft: true, content: `${content} Be brief.`, variables }
const common = { tag: 'Prompts' } as const
const write = { ...common, permission: 'resources.write', idempotent: true, etag: true } as const

export const prompts = {
  list: endpoint({
    ...common,
    method: 'GET',
    path: '/api/prompts',
    summary: 'List prompts',
    permission: 'resources.read',
    query: ListPromptsQuery,
    reply: page(PromptRow),
    example: {
      query: 'env=prod&folder=billing&fields=summary',
      reply: { data: [rowExample], total: 1, next_cursor: null },
    },
  }),
  facets: endpoint({
    ...common,
    method: 'GET',
    path: '/api/prompts/facets',
    summary: 'Folders, environments, categories and tags, with how many prompts each holds',
    permission: 'resources.read',
    query: z.strictObject({ workspace: promptFilters.workspace, env: promptFilters.env }),
    reply: item(PromptFacets),
    example: {
      query: 'workspace=default',
      reply: {
        data: {
          folders: [
            { path: '', count: 1, total: 3 },
            { path: 'billing', count: 2, total: 2 },
          ],
          envs: [{ name: 'prod', count: 3 }],
          categories: [{ name: 'support', count: 2 }],
          tags: [{ name: 'mail', count: 2 }],
          drafts: 1,
          deleted: 0,
        },
      },
    },
  }),
  create: endpoint({
    ...write,
    method: 'POST',
    path: '/api/prompts',
    summary: 'Create a prompt and publish it as v1, or keep it as a draft',
    body: CreatePromptBody,
    reply: item(Prompt),
    status: 201,
    problems: ['prompt.key_taken', 'idempotency.mismatch', 'store.full'],
    example: {
      body: { key: 'greet', name: 'Greeting', content: 'Hello {{name}}', env: 'prod', model: 'gpt-4o' },
      reply: { data: promptExample },
    },
  }),
  get: endpoint({
    ...common,
    method: 'GET',
    path: '/api/prompts/:id',
    summary: 'One prompt: its draft, and what is served',
    permission: 'resources.read',
    etag: true,
    params: byId,
    reply: item(Prompt),
    problems: ['not_found'],
    example: { reply: { data: promptExample } },
  }),
  update: endpoint({
    ...write,
    method: 'PATCH',
    alias: 'PUT',
    path: '/api/prompts/:id',
    summary: 'Change the draft, or what is said about the prompt',
    description:
      '`content`, `model` and `variables` change the draft only; `name`, `description`, `category` and `tags` count at once. `workspace_id` moves it.',
    params: byId,
    body: UpdatePromptBody,
    reply: item(Prompt),
    problems: ['not_found', 'prompt.key_taken', 'precondition.failed', 'idempotency.mismatch', 'store.full'],
    example: { body: { content: draftExample.content }, reply: { data: draftExample } },
  }),
  remove: endpoint({
    ...write,
    method: 'DELETE',
    path: '/api/prompts/:id',
    summary: 'Delete a prompt; it can be restored for 30 days',
    params: byId,
    reply: Ok,
    problems: ['not_found', 'precondition.failed'],
    example: { reply: { ok: true } },
  }),
  restore: endpoint({
    ...write,
    method: 'POST',
    path: '/api/prompts/:id/restore',
    summary: 'Bring a deleted prompt back as it was',
    params: byId,
    reply: item(Prompt),
    problems: ['not_found', 'prompt.key_taken', 'store.full'],
    example: { reply: { data: promptExample } },
  }),
  duplicate: endpoint({
    ...write,
    method: 'POST',
    path: '/api/prompts/:id/duplicate',
    summary: 'Copy a prompt as a draft under another key, environment or workspace',
    params: byId,
    body: DuplicatePromptBody,
    reply: item(Prompt),
    status: 201,
    problems: ['not_found', 'prompt.key_taken', 'store.full'],
    example: {
      body: { key: 'billing/refund-copy' },
      reply: { data: { ...draftExample, key: 'billing/refund-copy', version: null, served: null } },
    },
  }),
}
