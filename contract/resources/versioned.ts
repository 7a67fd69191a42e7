import { z } from 'zod'
import { Id } from '../common/fields.ts'
import { FieldError } from '../common/problem.ts'
import { PromptKey } from './key.ts'

// Fields and endpoint parts that prompts, agents and workflows share.

export const byId = z.object({ id: Id })
export const workspaceRef = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'ID or slug; the default is `default`' })

export const resourceSorts = [
  'key',
  '-key',
  'name',
  '-name',
  'created_at',
  '-created_at',
  'updated_at',
  '-updated_at',
] as const

/** Returns the fields that the reading endpoints of a tag share. */
export const readingOf = (tag: string) => ({ tag, method: 'GET', permission: 'resources.read' }) as const
/** Returns the fields that the changing endpoints of a tag share. */
export const changingOf = (tag: string) =>
  ({ tag, permission: 'resources.write', workspaces: 'item', idempotent: true, etag: true }) as const
/** Returns the fields that the import endpoints of a tag share. */
export const importingOf = (tag: string) =>
  ({
    tag,
    method: 'POST',
    description:
      'With `preview`, the reply contains the outcome for each item. Without it, one rejected item rejects the import: 422 with the reason for each rejected item.',
    permission: 'resources.write',
    workspaces: 'input',
    idempotent: true,
    problems: ['idempotency.mismatch', 'store.full'],
  }) as const
/** The problems of a change with `If-Match`, `Idempotency-Key` and stored data. */
export const saving = ['precondition.failed', 'idempotency.mismatch', 'store.full'] as const

/** Maximum number of items in one import. */
export const maxImported = 500
/** Maximum length of one file in UTF-16 code units. The body of the request is limited to 1 MiB. */
const maxFileLength = 1_000_000

export const importedFiles = (name: z.ZodString) =>
  z
    .array(z.strictObject({ name, content: z.string().min(1).max(maxFileLength) }))
    .min(1)
    .max(maxImported)

/** Returns the options of every import. `existing` describes the choice for existing items. */
export const importFields = (existing: string) => ({
  workspace_id: z.string().min(1).max(64).default('default').meta({ description: 'ID or slug' }),
  prefix: PromptKey.optional().meta({ description: 'Folder that is prepended to all keys' }),
  existing: z.enum(['update', 'skip', 'refuse']).default('update').meta({ description: existing }),
  preview: z.boolean().default(false).meta({ description: 'Preview the import without changes' }),
})

/** Returns the fields that every import reports per item. */
export const importedFields = ({ version, notes }: { readonly version: string; readonly notes: string }) => ({
  file: z.string(),
  index: z.int().meta({ description: 'Index in the file, from 0' }),
  key: z.string().nullable(),
  outcome: z.enum(['create', 'update', 'unchanged', 'skip', 'refuse']),
  changes: z.array(z.string()).meta({ description: 'Fields that differ from the existing ones' }),
  version: z.string().nullable().meta({ description: version }),
  notes: z.array(z.string()).meta({ description: notes }),
  errors: z.array(FieldError),
  id: Id.nullable(),
})

/** Counts of the outcomes of an import. */
export const importCounts = {
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  skipped: z.int(),
  refused: z.int(),
}
