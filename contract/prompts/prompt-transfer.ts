import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { Id, item } from '../common/fields.ts'
import {
  importCounts,
  importedFields,
  importedFiles,
  importFields,
  importingOf,
  readingOf,
} from '../resources/versioned.ts'
import { Environment, Prompt } from './prompt.ts'
import { promptListFilters } from './prompt-list.ts'

export const transferFormats = ['json', 'yaml', 'markdown', 'promptops', 'langfuse', 'openai'] as const
export const TransferFormat = z.enum(transferFormats)
export type TransferFormat = z.infer<typeof TransferFormat>

export const ExportPromptsQuery = z.strictObject({
  format: TransferFormat.default('json'),
  ...promptListFilters,
  id: z
    .union([Id, z.array(Id).min(1).max(200)])
    .transform((input) => (Array.isArray(input) ? input : [input]))
    .optional(),
})

const { workspace_id, prefix, existing, preview } = importFields(
  'Action for a prompt whose key already exists',
)
export const ImportPromptsBody = z.strictObject({
  files: importedFiles(
    z
      .string()
      .min(1)
      .max(255)
      .meta({ description: 'Used in messages, and as the key of a Markdown file without a key' }),
  ),
  format: z.enum(['auto', ...transferFormats]).default('auto'),
  workspace_id,
  env: Environment.optional().meta({
    description: 'Environment of prompts that do not specify one; `dev` by default',
  }),
  prefix,
  existing,
  publish: z
    .boolean()
    .default(false)
    .meta({ description: 'Publish the imported prompts instead of importing them as drafts' }),
  preview,
})

export const ImportedItem = z.object({
  ...importedFields({
    version: 'Version that is published; null if it stays a draft',
    notes: 'Values that could not be imported unchanged',
  }),
  env: Environment.nullable(),
  after: Prompt.pick({
    name: true,
    description: true,
    category: true,
    tags: true,
    model: true,
    type: true,
    content: true,
    messages: true,
    params: true,
    variables: true,
  })
    .partial()
    .nullable()
    .meta({ description: 'In a preview: the new values of these fields; null if nothing changes' }),
})
export type ImportedItem = z.infer<typeof ImportedItem>

export const ImportReport = z.object({
  preview: z.boolean(),
  format: z.enum([...transferFormats, 'mixed']),
  ...importCounts,
  items: z.array(ImportedItem),
})
export type ImportReport = z.infer<typeof ImportReport>

const tag = 'Prompts'

export const promptTransfer = {
  export: endpoint({
    ...readingOf(tag),
    path: '/api/prompts/export',
    workspaces: 'filter',
    summary: 'Download prompts as JSON, YAML or Markdown, or in the format of PromptOps, Langfuse or OpenAI',
    query: ExportPromptsQuery,
    reply: z.unknown(),
    replyAs: 'file',
    mediaTypes: ['application/json', 'application/yaml', 'text/markdown'],
    example: { query: 'format=yaml&folder=billing', reply: 'prompts:\n  - key: billing/refund\n' },
  }),
  import: endpoint({
    ...importingOf(tag),
    path: '/api/prompts/import',
    summary: 'Import prompts (all or none), or preview the import',
    body: ImportPromptsBody,
    reply: item(ImportReport),
    example: {
      body: { files: [{ name: 'greet.md', content: '---\nkey: greet\n---\nHello {{name}}' }], preview: true },
      reply: {
        data: {
          preview: true,
          format: 'markdown',
          created: 1,
          updated: 0,
          unchanged: 0,
          skipped: 0,
          refused: 0,
          items: [
            {
              file: 'greet.md',
              index: 0,
              key: 'greet',
              env: 'dev',
              outcome: 'create',
              changes: [],
              after: null,
              version: null,
              notes: [],
              errors: [],
              id: null,
            },
          ],
        },
      },
    },
  }),
}
