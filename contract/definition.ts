import { z } from 'zod'
import { anyOf, Id, KeyText, paging, readOnly, SearchText, Timestamp } from './common.ts'
import {
  AnyVersion,
  Message,
  PromptDescription,
  PromptKey,
  PromptName,
  VersionInput,
  VersionLabel,
} from './prompt.ts'
import {
  importCounts,
  importedFields,
  importedFiles,
  importFields,
  resourceSorts,
  workspaceRef,
} from './versioned.ts'

/**
 * The fields that agents and workflows share: a key in a workspace, a name that changes at once, and a
 * behaviour. Every change of the behaviour creates a new, immutable version.
 */
export const definitionFields = {
  id: Id,
  workspace_id: Id,
  key: z.string(),
  name: z.string(),
  description: z.string(),
}
export const definitionState = {
  version: VersionLabel.meta({ description: 'What runs. Every change of the behaviour makes the next one' }),
  created_by: z.string(),
  updated_by: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
  etag: z.string().meta({ description: 'The `ETag` of this state, as `If-Match` wants it' }),
}

/** An agent or workflow without its behaviour. */
export type DefinitionHead = z.infer<z.ZodObject<typeof definitionFields & typeof definitionState>>

export const createFields = {
  key: PromptKey,
  name: PromptName.optional().meta({ description: 'The key unless given' }),
  description: PromptDescription.nullable().optional(),
  workspace_id: workspaceRef.optional(),
  message: Message.optional().meta({ description: 'Said of the version this makes' }),
}
export const updateFields = {
  ...createFields,
  ...readOnly('id', 'version', 'created_by', 'updated_by', 'created_at', 'updated_at', 'etag'),
  key: PromptKey.optional().meta({ description: 'Accepted when it is the key it has; a key never changes' }),
}

export const DuplicateBody = z
  .strictObject({
    key: PromptKey.optional().meta({
      description: '`<key>-copy` unless given, when it stays beside the first',
    }),
    workspace_id: workspaceRef.optional(),
    name: PromptName.optional(),
  })
  .optional()

export const definitionFilters = {
  workspace: anyOf(z.string().min(1).max(64)),
  key: anyOf(KeyText).meta({ description: 'The whole key' }),
  q: SearchText.optional().meta({
    description: 'Words of key, name, description and texts, each matched from its beginning',
  }),
}
export const listFields = {
  ...paging(resourceSorts),
  ...definitionFilters,
  fields: z.literal('summary').optional().meta({ description: 'Rows without what is long' }),
}

/** The operations that create a version. */
export const definitionVersionKinds = ['create', 'update', 'rollback', 'import'] as const

export const versionFields = {
  version: VersionLabel,
  kind: z.enum(definitionVersionKinds),
  from: VersionLabel.nullable().meta({ description: 'What was rolled back to' }),
  message: z.string(),
  current: z.boolean().meta({ description: 'It is what runs' }),
  created_by: z.string(),
  created_at: Timestamp,
}
export const ListDefinitionVersionsQuery = z.strictObject(paging(['version', '-version'] as const))
export const RollbackDefinitionBody = z.strictObject({ version: AnyVersion, message: Message.optional() })
export const byIdAndVersion = z.object({ id: Id, version: VersionInput })

export const definitionFormats = ['json', 'yaml'] as const
export const DefinitionFormat = z.enum(definitionFormats)
export type DefinitionFormat = z.infer<typeof DefinitionFormat>

export const exportFields = {
  format: DefinitionFormat.default('json'),
  id: anyOf(Id),
}

/**
 * The body of an import. One file may contain many: a list, or an object with a list `agents` or `workflows`.
 */
export const ImportDefinitionsBody = z.strictObject({
  files: importedFiles(z.string().min(1).max(255)),
  format: z.enum(['auto', ...definitionFormats]).default('auto'),
  ...importFields('What becomes of one whose key is there already'),
})

export const ImportedDefinition = z.object(
  importedFields({
    version: 'The version it makes; null: none',
    notes: 'What is worth a look before it runs',
  }),
)
export type ImportedDefinition = z.infer<typeof ImportedDefinition>

export const DefinitionImportReport = z.object({
  preview: z.boolean(),
  ...importCounts,
  items: z.array(ImportedDefinition),
})
export type DefinitionImportReport = z.infer<typeof DefinitionImportReport>

export const importReportExample: z.input<typeof DefinitionImportReport> = {
  preview: true,
  created: 1,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  refused: 0,
  items: [
    {
      file: 'support.yaml',
      index: 0,
      key: 'support/answer',
      outcome: 'create',
      changes: [],
      version: 'v1',
      notes: [],
      errors: [],
      id: null,
    },
  ],
}
