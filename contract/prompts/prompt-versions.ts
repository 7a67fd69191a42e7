import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, item, page, paging, Timestamp } from '../common/fields.ts'
import { byId } from '../resources/versioned.ts'
import {
  AnyVersion,
  Environment,
  Message,
  Prompt,
  promptBody,
  promptExample,
  VersionInput,
  VersionLabel,
} from './prompt.ts'
import { PromptDiff } from './prompt-diff.ts'
import { ResolvedPrompt } from './prompt-resolved.ts'

/** The operations that create a version. */
const versionKinds = ['create', 'publish', 'rollback', 'promote', 'import'] as const

export const PromptVersion = z.object({
  version: VersionLabel,
  kind: z.enum(versionKinds),
  from: z
    .object({ env: Environment, version: VersionLabel })
    .nullable()
    .meta({ description: 'The version that was rolled back to or promoted' }),
  message: z.string(),
  served: z.boolean(),
  type: promptBody.type,
  model: z.string().nullable(),
  content: promptBody.content
    .optional()
    .meta({ description: 'Absent in a list with `fields=summary`, like the next three' }),
  messages: promptBody.messages.optional(),
  params: promptBody.params.optional(),
  variables: promptBody.variables.optional(),
  size_bytes: z.int(),
  created_by: z.string(),
  created_at: Timestamp,
})
export type PromptVersion = z.infer<typeof PromptVersion>

const versionSorts = ['version', '-version'] as const
export const ListVersionsQuery = z.strictObject({
  ...paging(versionSorts),
  fields: z.literal('summary').optional(),
})

const DiffState = z
  .string()
  .regex(/^(?:v?[1-9]\d{0,8}|draft|served)$/, 'A version such as v3, `draft` or `served`')
export const DiffQuery = z.strictObject({
  from: z
    .string()
    .regex(/^(?:v?[1-9]\d{0,8}|draft|served|none)$/, 'A version such as v3, `draft`, `served` or `none`')
    .default('served')
    .meta({ description: '`none` is the empty state before the first version' }),
  to: DiffState.default('draft'),
  to_id: Id.optional().meta({
    description: 'The prompt of `to`, such as the same key in another environment. Default: the same prompt',
  }),
})

const ResolvedQuery = z.strictObject({ version: DiffState.default('draft') })

const PublishBody = z.strictObject({ message: Message.optional() }).optional()
const RollbackBody = z.strictObject({ version: AnyVersion, message: Message.optional() })

const versionExample: z.input<typeof PromptVersion> = {
  version: 'v3',
  kind: 'publish',
  from: null,
  message: 'Shorter',
  served: true,
  type: 'text',
  model: 'gpt-4o',
  content: promptExample.content,
  messages: null,
  params: promptExample.params,
  variables: promptExample.variables,
  size_bytes: 59,
  created_by: 'edda',
  created_at: '2026-11-21T09:30:00.000Z',
}
const read = {
  tag: 'Prompts',
  permission: 'resources.read',
  workspaces: 'item',
  method: 'GET',
  params: byId,
} as const
const write = {
  tag: 'Prompts',
  permission: 'resources.write',
  workspaces: 'item',
  method: 'POST',
  idempotent: true,
  etag: true,
  reply: item(Prompt),
  problems: [
    'not_found',
    'prompt.nothing_to_publish',
    'precondition.failed',
    'idempotency.mismatch',
    'store.full',
  ],
} as const
const reply = { data: promptExample }
const protectedNote = 'Into a protected environment only an admin does it (see Who may do what).'

export const promptVersions = {
  list: endpoint({
    ...read,
    path: '/api/prompts/:id/versions',
    summary: 'List the versions of a prompt, newest first',
    query: ListVersionsQuery,
    reply: page(PromptVersion),
    problems: ['not_found'],
    example: { query: 'limit=20', reply: { data: [versionExample], total: 1, next_cursor: null } },
  }),
  get: endpoint({
    ...read,
    path: '/api/prompts/:id/versions/:version',
    summary: 'Get a version',
    params: z.object({ id: Id, version: VersionInput }),
    reply: item(PromptVersion),
    problems: ['not_found'],
    example: { reply: { data: versionExample } },
  }),
  resolved: endpoint({
    ...read,
    path: '/api/prompts/:id/resolved',
    summary: 'Get the text of a prompt with its includes',
    query: ResolvedQuery,
    reply: item(ResolvedPrompt),
    problems: ['not_found'],
    example: {
      query: 'version=draft',
      reply: {
        data: {
          version: 'draft',
          content: 'Write to {{customer.name}}.\nBe polite.',
          messages: null,
          variables: [],
          included: [{ key: 'shared/tone', version: 'v2' }],
          problems: [],
          included_by: [
            { id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b21', key: 'billing/reminder', version: null },
          ],
        },
      },
    },
  }),
  diff: endpoint({
    ...read,
    path: '/api/prompts/:id/diff',
    summary: 'Compare two versions or drafts, also of two prompts, by line and word',
    query: DiffQuery,
    reply: item(PromptDiff),
    problems: ['not_found'],
    example: {
      query: 'from=v1&to=draft',
      reply: {
        data: {
          from: 'v1',
          to: 'draft',
          same_as: null,
          identical: false,
          added_lines: 1,
          removed_lines: 1,
          coarse: false,
          omitted_lines: 0,
          lines: [
            {
              kind: 'removed',
              from_line: 1,
              to_line: null,
              text: 'Hello {{name}}',
              parts: [
                { kind: 'same', text: 'Hello ' },
                { kind: 'removed', text: '{{name}}' },
              ],
            },
            { kind: 'added', from_line: null, to_line: 1, text: 'Hello {{first_name}}' },
          ],
          type: null,
          messages: null,
          params: [{ name: 'temperature', from: 0.2, to: 0.7 }],
          model: null,
          variables: { added: ['first_name'], removed: ['name'], changed: [] },
        },
      },
    },
  }),
  publish: endpoint({
    ...write,
    path: '/api/prompts/:id/publish',
    summary: 'Publish the draft as the next version',
    description: protectedNote,
    params: byId,
    body: PublishBody,
    example: { body: { message: 'Shorter' }, reply },
  }),
  rollback: endpoint({
    ...write,
    path: '/api/prompts/:id/rollback',
    summary: 'Roll back: publish an older version as a new version and replace the draft',
    description: protectedNote,
    params: byId,
    body: RollbackBody,
    example: { body: { version: 'v2', message: 'v3 was too short' }, reply },
  }),
  promote: endpoint({
    ...write,
    path: '/api/prompts/:id/promote',
    summary: 'Promote the served version into another environment, as the next version there',
    description: `Creates the prompt there if it does not exist. The reply is the prompt in the other environment. \`If-Match\` refers to the source. ${protectedNote}`,
    params: byId,
    body: z.strictObject({ env: Environment, message: Message.optional() }),
    example: { body: { env: 'prod' }, reply },
  }),
  publishById: endpoint({
    ...write,
    path: '/api/prompts/publish',
    summary: 'Publish (older form)',
    body: z.strictObject({ id: Id, message: Message.optional() }),
    example: { body: { id: promptExample.id }, reply },
  }),
  rollbackById: endpoint({
    ...write,
    path: '/api/prompts/rollback',
    summary: 'Roll back (older form)',
    body: RollbackBody.extend({ id: Id }),
    example: { body: { id: promptExample.id, version: 'v2' }, reply },
  }),
}
