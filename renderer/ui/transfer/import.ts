import type { DefinitionImportReport, ImportedDefinition } from '../../../contract/definition.ts'

type ImportFile = { readonly name: string; readonly content: string }

/** What every import asks for. */
export type ImportValues = {
  readonly files: readonly ImportFile[]
  readonly pasted: string
  readonly workspace_id: string
  readonly prefix: string
  readonly existing: 'update' | 'skip' | 'refuse'
}

/** What every import tells of each thing it was given. */
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

/** What pasted text is called in the preview and in messages. */
const pastedName = 'pasted'

/** What is sent for `values`: pasted text is one more file, and the prefix stands only where there is one. */
export function bodyOf<V extends ImportValues>({ files, pasted, prefix, ...options }: V) {
  const text = pasted.trim() === '' ? [] : [{ name: pastedName, content: pasted }]
  const folder = prefix.trim().replace(/\/+$/, '')
  return { ...options, files: [...files, ...text], ...(folder === '' ? {} : { prefix: folder }) }
}
