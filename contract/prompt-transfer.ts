import { z } from 'zod'
import { Id, item } from './common.ts'
import { endpoint } from './endpoint.ts'
import { FieldError } from './problem.ts'
import { Environment, Prompt, PromptKey } from './prompt.ts'
import { promptFilters } from './prompt-list.ts'

export const transferFormats = ['json', 'yaml', 'markdown', 'promptops', 'langfuse'] as const
export const TransferFormat = z.enum(transferFormats)
export type TransferFormat = z.infer<typeof TransferFormat>

/** Maximum number of prompts in one import. */
export const maxImported = 500
/** Maximum length of one file in UTF-16 units. The body of the request is limited to 1 MiB. */
export const maxFileLength = 1_000_000

export const ExportPromptsQuery = z.strictObject({
  format: TransferFormat.default('json'),
  ...promptFilters,
  id: z
    .union([Id, z.array(Id).min(1).max(200)])
    .transform((given) => (Array.isArray(given) ? given : [given]))
    .optional(),
})

const ImportFile = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(255)
    .meta({ description: 'For messages; a Markdown file without a key is called by it' }),
  content: z.string().min(1).max(maxFileLength),
})
export const ImportPromptsBody = z.strictObject({
  files: z.array(ImportFile).min(1).max(maxImported),
  format: z.enum(['auto', ...transferFormats]).default('auto'),
  workspace_id: z.string().min(1).max(64).default('default').meta({ description: 'Id or slug' }),
  env: Environment.optional().meta({ description: 'For prompts that name none; `dev` unless given' }),
  prefix: PromptKey.optional().meta({ description: 'A folder all keys are put in' }),
  existing: z
    .enum(['update', 'skip', 'refuse'])
    .default('update')
    .meta({ description: 'What becomes of a prompt whose key is there already' }),
  publish: z
    .boolean()
    .default(false)
    .meta({ description: 'Publish what comes instead of keeping it as drafts' }),
  preview: z.boolean().default(false).meta({ description: 'Only tell what would happen' }),
})

export const ImportedItem = z.object({
  file: z.string(),
  index: z.int().meta({ description: 'Place in the file, from 0' }),
  key: z.string().nullable(),
  env: Environment.nullable(),
  outcome: z.enum(['create', 'update', 'unchanged', 'skip', 'refuse']),
  changes: z.array(z.string()).meta({ description: 'Fields that differ from what is there' }),
  after: Prompt.pick({
    name: true,
    description: true,
    category: true,
    tags: true,
    model: true,
    content: true,
    variables: true,
  })
    .partial()
    .nullable()
    .meta({ description: 'In a preview: those fields as they would be. Null when nothing is changed' }),
  version: z.string().nullable().meta({ description: 'What it is published as; null: it stays a draft' }),
  notes: z.array(z.string()).meta({ description: 'What could not be carried over as it was' }),
  errors: z.array(FieldError),
  id: Id.nullable(),
})
export type ImportedItem = z.infer<typeof ImportedItem>

export const ImportReport = z.object({
  preview: z.boolean(),
  format: z.enum([...transferFormats, 'mixed']),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  skipped: z.int(),
  refused: z.int(),
  items: z.array(ImportedItem),
})
export type ImportReport = z.infer<typeof ImportReport>

const common = { tag: 'Prompts' } as const

export const promptTransfer = {
  export: endpoint({
    ...common,
    method: 'GET',
    path: '/api/prompts/export',
    summary: 'Download prompts as JSON, YAML, Markdown, or as PromptOps or Langfuse write them',
    permission: 'resources.read',
    query: ExportPromptsQuery,
    reply: z.unknown(),
    replyAs: 'file',
    mediaTypes: ['application/json', 'application/yaml', 'text/markdown'],
    example: { query: 'format=yaml&folder=billing', reply: 'prompts:\n  - key: billing/refund\n' },
  }),
  import: endpoint({
    ...common,
    method: 'POST',
    path: '/api/prompts/import',
    summary: 'Import prompts, all or none, or look first at what would happen',
    description:
      'With `preview` the reply says of every item what would become of it. Without, one refused item refuses all: 422 with the reason of each.',
    permission: 'resources.write',
    idempotent: true,
    body: ImportPromptsBody,
    reply: item(ImportReport),
    problems: ['idempotency.mismatch', 'store.full'],
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
