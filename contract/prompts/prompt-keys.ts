import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, item, page, paging, Timestamp } from '../common/fields.ts'
import { readingOf } from '../resources/versioned.ts'
import { Environment, VersionLabel } from './prompt.ts'
import { promptListFilters } from './prompt-list.ts'

export const keySorts = ['key', '-key', 'updated_at', '-updated_at'] as const
export const ListKeysQuery = z.strictObject({ ...paging(keySorts), ...promptListFilters })

/** One environment of a key: what it serves, and whether it has a draft. */
export const KeyEnvironment = z.object({
  id: Id.meta({ description: 'The prompt of the key in this environment' }),
  env: Environment,
  version: VersionLabel.nullable().meta({ description: 'The served version; null if never published' }),
  content_hash: z.string().nullable().meta({
    description:
      'SHA-256 of what the served version contains. Environments with the same hash serve the same content, model and variables',
  }),
  behind: z.boolean().meta({
    description:
      'Whether another environment serves content that was first published later than the content of this one. The newest 50 versions of each environment are considered',
  }),
  has_draft: z.boolean(),
  protected: z.boolean(),
  model: z.string().nullable(),
  published_at: Timestamp.nullable(),
  updated_by: z.string(),
  updated_at: Timestamp,
  client_count: z
    .int()
    .meta({ description: 'Number of connected clients that use this key in this environment' }),
})
export type KeyEnvironment = z.infer<typeof KeyEnvironment>

/** A key of a workspace with all its environments. Name, category and tags are those changed last. */
export const PromptKeyRow = z.object({
  workspace_id: Id,
  key: z.string(),
  folder: z.string(),
  name: z.string(),
  category: z.string().nullable(),
  tags: z.array(z.string()),
  updated_by: z.string(),
  updated_at: Timestamp,
  envs: z
    .array(KeyEnvironment)
    .meta({ description: 'In the order dev, test, prod; absent ones are left out' }),
})
export type PromptKeyRow = z.infer<typeof PromptKeyRow>

/** Maximum number of texts and of characters of one count of tokens. */
const maxCountedTexts = 200
const maxCountedCharacters = 262_144
const CountTokensBody = z.strictObject({
  texts: z
    .array(z.string().max(maxCountedCharacters))
    .min(1)
    .max(maxCountedTexts)
    .refine(
      (texts) => texts.reduce((sum, text) => sum + text.length, 0) <= maxCountedCharacters,
      `At most ${maxCountedCharacters} characters in total`,
    ),
})
const TokenCounts = z.object({
  counts: z.array(z.int().nullable()).meta({ description: 'One per text; null if it could not be counted' }),
})

const example: z.input<typeof PromptKeyRow> = {
  workspace_id: 'default',
  key: 'billing/refund',
  folder: 'billing',
  name: 'Refund',
  category: 'support',
  tags: ['mail'],
  updated_by: 'edda',
  updated_at: '2026-11-21T09:41:12.400Z',
  envs: [
    {
      id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11',
      env: 'prod',
      version: 'v3',
      content_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      behind: false,
      has_draft: false,
      protected: true,
      model: 'gpt-4o',
      published_at: '2026-11-21T09:30:00.000Z',
      updated_by: 'edda',
      updated_at: '2026-11-21T09:41:12.400Z',
      client_count: 14,
    },
  ],
}
const read = readingOf('Prompts')

export const promptKeys = {
  list: endpoint({
    ...read,
    path: '/api/prompts/keys',
    workspaces: 'filter',
    summary: 'List keys, each with the version that every environment serves',
    description:
      'A key is listed if one of its environments matches all filters; the row has all its environments.',
    query: ListKeysQuery,
    reply: page(PromptKeyRow),
    example: {
      query: 'workspace=default&folder=billing',
      reply: { data: [example], total: 1, next_cursor: null },
    },
  }),
  countTokens: endpoint({
    tag: 'Prompts',
    permission: 'resources.read',
    method: 'POST',
    path: '/api/prompts/count-tokens',
    workspaces: 'none',
    summary: 'Estimate the number of tokens of texts',
    description:
      'Counts with the vocabulary `o200k_base`, as for runs without reported tokens. Models of other vendors count differently. Nothing is stored.',
    body: CountTokensBody,
    reply: item(TokenCounts),
    example: { body: { texts: ['Hello {{name}}'] }, reply: { data: { counts: [4] } } },
  }),
}
