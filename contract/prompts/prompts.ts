import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { clearable, item, Ok, page, readOnly } from '../common/fields.ts'
import { PromptKey } from '../resources/key.ts'
import { byId, changingOf, readingOf, saving, workspaceRef } from '../resources/versioned.ts'
import {
  Category,
  Content,
  Environment,
  isText,
  MessagesInput,
  Model,
  Prompt,
  PromptDescription,
  PromptName,
  promptExample,
  TagsInput,
  VariablesInput,
} from './prompt.ts'
import { PromptType } from './prompt-chat.ts'
import { ListPromptsQuery, PromptFacets, PromptRow, promptFilters } from './prompt-list.ts'
import { clearableParams } from './prompt-params.ts'

/** The label of a version in another service. */
const Label = z.string().trim().min(1).max(200).refine(isText, 'Not valid Unicode text')

const changeable = {
  name: PromptName.optional(),
  description: clearable(PromptDescription),
  type: PromptType.optional().meta({
    description:
      'By default `chat` if `messages` is set. Set without `messages`: `chat` makes the text a user message, `text` makes the messages one text',
  }),
  content: Content.optional().meta({ description: 'The text of a text prompt' }),
  messages: clearable(MessagesInput).meta({ description: 'The messages of a chat prompt' }),
  model: clearable(Model),
  params: clearableParams,
  variables: VariablesInput.optional(),
  category: clearable(Category),
  tags: clearable(TagsInput),
  workspace_id: workspaceRef.optional(),
}

export const CreatePromptBody = z.strictObject({
  ...changeable,
  key: PromptKey,
  env: Environment.default('dev'),
  draft: z.boolean().optional().meta({
    description:
      'Save the prompt as a draft instead of publishing it as v1. Default: false, or true without content',
  }),
  version: Label.nullish().meta({
    description: 'Custom label, stored in the message of v1 unless it is `v1`',
  }),
  message: z.string().max(1000).optional(),
})

/** Read-only fields that a GET adds to the fields that can be changed. */
const readFields = readOnly(
  'id',
  'folder',
  'has_draft',
  'served',
  'protected',
  'published_at',
  'created_by',
  'updated_by',
  'created_at',
  'updated_at',
  'deleted_at',
  'restorable_until',
  'etag',
)

export const UpdatePromptBody = z.strictObject({
  ...changeable,
  ...readFields,
  ...readOnly('version'),
  key: PromptKey.optional().meta({ description: 'Accepted only if unchanged; a key cannot be changed' }),
  env: Environment.optional().meta({ description: 'Accepted only if unchanged' }),
})

export const ReplacePromptBody = UpdatePromptBody.extend({
  version: Label.nullish().meta({
    description:
      'A label other than the current one publishes the change. It is stored in the message of the new version, unless the version gets this label',
  }),
})

export const DuplicatePromptBody = z.strictObject({
  key: PromptKey.optional().meta({
    description: 'By default the key of the original, or `<key>-copy` in the same place',
  }),
  env: Environment.optional(),
  workspace_id: workspaceRef.optional(),
  name: PromptName.optional(),
})

const {
  served,
  variables: _variables,
  content,
  messages: _messages,
  params: _params,
  ...rest
} = promptExample
const rowExample: z.input<typeof PromptRow> = {
  ...rest,
  served: served && { version: served.version, type: served.type, model: served.model },
  client_count: 14,
}
const draftExample = { ...promptExample, has_draft: true, content: `${content} Be brief.` }
const read = readingOf('Prompts')
const write = changingOf('Prompts')

export const prompts = {
  list: endpoint({
    ...read,
    path: '/api/prompts',
    workspaces: 'filter',
    summary: 'List prompts',
    query: ListPromptsQuery,
    reply: page(PromptRow),
    example: {
      query: 'env=prod&folder=billing&fields=summary',
      reply: { data: [rowExample], total: 1, next_cursor: null },
    },
  }),
  facets: endpoint({
    ...read,
    path: '/api/prompts/facets',
    workspaces: 'filter',
    summary: 'List folders, environments, categories and tags, with their number of prompts',
    query: z.strictObject({
      workspace: promptFilters.workspace,
      env: promptFilters.env,
      by: z.enum(['prompt', 'key']).default('prompt').meta({
        description: '`key` counts the keys of each folder, as in the list of keys',
      }),
    }),
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
    workspaces: 'input',
    summary: 'Create a prompt and publish it as v1, or save it as a draft',
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
    ...read,
    path: '/api/prompts/:id',
    workspaces: 'item',
    summary: 'Get a prompt with its draft and its served version',
    etag: true,
    params: byId,
    reply: item(Prompt),
    problems: ['not_found'],
    example: { reply: { data: promptExample } },
  }),
  update: endpoint({
    ...write,
    method: 'PATCH',
    path: '/api/prompts/:id',
    summary: 'Update the draft or the details of a prompt',
    description:
      '`type`, `content`, `messages`, `model`, `params` and `variables` change the draft only; `name`, `description`, `category` and `tags` apply immediately. `workspace_id` moves the prompt, unless others include it. Read-only fields are ignored, including `version`.',
    params: byId,
    body: UpdatePromptBody,
    reply: item(Prompt),
    problems: ['not_found', 'prompt.key_taken', 'prompt.included', ...saving],
    example: { body: { content: draftExample.content }, reply: { data: draftExample } },
  }),
  replace: endpoint({
    ...write,
    method: 'PUT',
    path: '/api/prompts/:id',
    summary: 'Update the draft; with a different `version`, also publish it',
    description:
      'Without `version`, or with the current one, this is the same as PATCH: an object can be sent back as it was read. A different `version` saves and publishes in one transaction. It replaces the draft of another user only with `If-Match` (412 without), and in a protected environment it requires an admin.',
    params: byId,
    body: ReplacePromptBody,
    reply: item(Prompt),
    problems: ['not_found', 'prompt.key_taken', 'prompt.included', ...saving],
    example: { body: { content: draftExample.content, version: 'v4' }, reply: { data: promptExample } },
  }),
  remove: endpoint({
    ...write,
    method: 'DELETE',
    path: '/api/prompts/:id',
    summary: 'Delete a prompt; it can be restored for 30 days',
    params: byId,
    reply: Ok,
    problems: ['not_found', 'prompt.included', 'precondition.failed'],
    example: { reply: { ok: true } },
  }),
  restore: endpoint({
    ...write,
    method: 'POST',
    path: '/api/prompts/:id/restore',
    summary: 'Restore a deleted prompt',
    params: byId,
    reply: item(Prompt),
    problems: ['not_found', 'prompt.key_taken', 'precondition.failed', 'store.full'],
    example: { reply: { data: promptExample } },
  }),
  duplicate: endpoint({
    ...write,
    method: 'POST',
    path: '/api/prompts/:id/duplicate',
    summary: 'Copy a prompt as a draft to another key, environment or workspace',
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
