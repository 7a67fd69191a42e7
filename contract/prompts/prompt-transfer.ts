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

export const transferFormats = [
  'json',
  'yaml',
  'markdown',
  'promptops',
  'langfuse',
  'openai',
  'promptfoo',
  'dotprompt',
] as const
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

/** A field of a prompt that a file of the format cannot contain, or only in a changed form. */
const Loss = z.object({
  field: z.string().meta({ description: 'Such as `tags` or `messages.2.tool_calls`' }),
  message: z.string(),
})
export type Loss = z.infer<typeof Loss>

/** Maximum number of fields in the preview of an export. */
export const maxLosses = 1000

export const ExportPreview = z.object({
  format: TransferFormat,
  prompts: z.int().meta({ description: 'Number of prompts in the file' }),
  complete: z.int().meta({ description: 'Number of prompts that the file contains unchanged' }),
  losses: z.array(Loss.extend({ key: z.string(), env: Environment })),
  truncated: z.boolean().meta({ description: `Whether there are more than these ${maxLosses}` }),
})
export type ExportPreview = z.infer<typeof ExportPreview>

const { workspace_id, prefix, existing, preview } = importFields(
  'Action for a prompt whose key already exists',
)
export const ImportPromptsBody = z.strictObject({
  files: importedFiles(
    z.string().min(1).max(255).meta({
      description: 'Used in messages, and as the key of a Markdown, dotprompt or promptfoo file without one',
    }),
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
    summary:
      'Download prompts as JSON, YAML or Markdown, or in the format of PromptOps, Langfuse, OpenAI, promptfoo or dotprompt',
    query: ExportPromptsQuery,
    reply: z.unknown(),
    replyAs: 'file',
    mediaTypes: ['application/json', 'application/yaml', 'text/markdown', 'text/plain', 'application/x-tar'],
    example: { query: 'format=yaml&folder=billing', reply: 'prompts:\n  - key: billing/refund\n' },
  }),
  previewExport: endpoint({
    ...readingOf(tag),
    path: '/api/prompts/export/preview',
    workspaces: 'filter',
    summary: 'List what a file of a format would not contain, by prompt and field',
    query: ExportPromptsQuery,
    reply: item(ExportPreview),
    example: {
      query: 'format=langfuse&folder=billing',
      reply: {
        data: {
          format: 'langfuse',
          prompts: 1,
          complete: 0,
          losses: [
            {
              key: 'billing/refund',
              env: 'prod',
              field: 'category',
              message: 'The format has no such field',
            },
          ],
          truncated: false,
        },
      },
    },
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
