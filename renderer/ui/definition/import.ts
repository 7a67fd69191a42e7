import type { z } from 'zod'
import type { ImportDefinitionsBody } from '../../../contract/definition.ts'

type Body = z.input<typeof ImportDefinitionsBody>
export const existingWays = ['update', 'skip', 'refuse'] as const

export type ImportValues = {
  readonly files: readonly { readonly name: string; readonly content: string }[]
  readonly pasted: string
  readonly workspace_id: string
  readonly prefix: string
  readonly existing: (typeof existingWays)[number]
}

export const emptyImport: ImportValues = {
  files: [],
  pasted: '',
  workspace_id: 'default',
  prefix: '',
  existing: 'update',
}

/** What pasted text is called in the preview and in messages. */
const pastedName = 'pasted'

export function bodyOf({ files, pasted, prefix, ...options }: ImportValues): Body {
  const text = pasted.trim() === '' ? [] : [{ name: pastedName, content: pasted }]
  const folder = prefix.trim().replace(/\/+$/, '')
  return { ...options, files: [...files, ...text], ...(folder === '' ? {} : { prefix: folder }) }
}
