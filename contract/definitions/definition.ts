import { z } from 'zod'
import { anyOf, Id, KeyText, paging, readOnly, SearchText, Timestamp } from '../common/fields.ts'
import {
  AnyVersion,
  Message,
  PromptDescription,
  PromptName,
  VersionInput,
  VersionLabel,
} from '../prompts/prompt.ts'
import { PromptKey } from '../resources/key.ts'
import {
  importCounts,
  importedFields,
  importedFiles,
  importFields,
  resourceSorts,
  workspaceRef,
} from '../resources/versioned.ts'

/**
 * The fields that agents and workflows share: a key in a workspace, a name that changes immediately, and
 * a behaviour. Every change of the behaviour creates a new, immutable version.
 */
export const definitionFields = {
  id: Id,
  workspace_id: Id,
  key: z.string(),
  name: z.string(),
  description: z.string(),
}
export const definitionState = {
  version: VersionLabel.meta({
    description: 'Live version; each change of the behaviour creates the next version',
  }),
  created_by: z.string(),
  updated_by: z.string(),
  created_at: Timestamp,
  updated_at: Timestamp,
  etag: z.string().meta({ description: '`ETag` of this state, for `If-Match`' }),
}

/** An agent or workflow without its behaviour. */
export type DefinitionHead = z.infer<z.ZodObject<typeof definitionFields & typeof definitionState>>

export const createFields = {
  key: PromptKey,
  name: PromptName.optional().meta({ description: 'The key by default' }),
  description: PromptDescription.nullable().optional(),
  workspace_id: workspaceRef.optional(),
  message: Message.optional().meta({ description: 'Message of the new version' }),
}
export const updateFields = {
  ...createFields,
  ...readOnly('id', 'version', 'created_by', 'updated_by', 'created_at', 'updated_at', 'etag'),
  key: PromptKey.optional().meta({ description: 'Accepted only if unchanged; a key cannot be changed' }),
}

export const DuplicateBody = z
  .strictObject({
    key: PromptKey.optional().meta({
      description: 'By default the key of the original, or `<key>-copy` in the same place',
    }),
    workspace_id: workspaceRef.optional(),
    name: PromptName.optional(),
  })
  .optional()

export const definitionFilters = {
  workspace: anyOf(z.string().min(1).max(64)),
  key: anyOf(KeyText).meta({ description: 'Full key' }),
  q: SearchText.optional().meta({
    description: 'Words in key, name, description and texts, matched by their beginning',
  }),
}
export const listFields = {
  ...paging(resourceSorts),
  ...definitionFilters,
  fields: z.literal('summary').optional().meta({ description: '`summary` omits long fields' }),
}

/** The operations that create a version. */
const definitionVersionKinds = ['create', 'update', 'rollback', 'import'] as const

export const versionFields = {
  version: VersionLabel,
  kind: z.enum(definitionVersionKinds),
  from: VersionLabel.nullable().meta({ description: 'The version that was rolled back to' }),
  message: z.string(),
  current: z.boolean().meta({ description: 'Whether this version is live' }),
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
 * The body of an import. One file may contain several agents or workflows: as a list, or as an object with a
 * list `agents` or `workflows`.
 */
export const ImportDefinitionsBody = z.strictObject({
  files: importedFiles(z.string().min(1).max(255)),
  format: z.enum(['auto', ...definitionFormats]).default('auto'),
  ...importFields('Action for an item whose key already exists'),
})

export const ImportedDefinition = z.object(
  importedFields({
    version: 'Version that is created; null for none',
    notes: 'Warnings to review before running it',
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
