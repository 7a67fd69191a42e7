import type { DefinitionImportReport, ImportedDefinition } from '../../../contract/definitions/definition.ts'

type ImportFile = { readonly name: string; readonly content: string }

/** Values of every import form. */
export type ImportValues = {
  readonly files: readonly ImportFile[]
  readonly pasted: string
  readonly workspace_id: string
  readonly prefix: string
  readonly existing: 'update' | 'skip' | 'refuse'
}

/** Fields that every import reports per item. */
export type Imported = Pick<
  ImportedDefinition,
  'file' | 'index' | 'key' | 'outcome' | 'changes' | 'notes' | 'errors'
>

export type Report<I extends Imported> = Omit<DefinitionImportReport, 'preview' | 'items'> & {
  readonly items: readonly I[]
}

export const emptyImport: Omit<ImportValues, 'workspace_id'> = {
  files: [],
  pasted: '',
  prefix: '',
  existing: 'update',
}

/** Name of pasted text in the preview and in messages. */
const pastedName = 'pasted'

/** Returns the request body. Pasted text is sent as one more file, and an empty prefix is omitted. */
export function bodyOf<V extends ImportValues>({ files, pasted, prefix, ...options }: V) {
  const text = pasted.trim() === '' ? [] : [{ name: pastedName, content: pasted }]
  const folder = prefix.trim().replace(/\/+$/, '')
  return { ...options, files: [...files, ...text], ...(folder === '' ? {} : { prefix: folder }) }
}
