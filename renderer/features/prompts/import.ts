import type { z } from 'zod'
import type { Environment } from '../../../contract/live.ts'
import type { ImportPromptsBody } from '../../../contract/prompt-transfer.ts'

export type ImportFile = { readonly name: string; readonly content: string }
type Body = z.input<typeof ImportPromptsBody>

export type ImportValues = {
  readonly files: readonly ImportFile[]
  readonly pasted: string
  readonly env: Environment
  readonly workspace_id: string
  readonly prefix: string
  readonly existing: 'update' | 'skip' | 'refuse'
  readonly publish: boolean
}

export const emptyImport: ImportValues = {
  files: [],
  pasted: '',
  env: 'dev',
  workspace_id: 'default',
  prefix: '',
  existing: 'update',
  publish: false,
}

/** What pasted text is called in the preview and in messages. */
export const pastedName = 'pasted'

export function bodyOf({ files, pasted, prefix, ...options }: ImportValues): Body {
  const text = pasted.trim() === '' ? [] : [{ name: pastedName, content: pasted }]
  const folder = prefix.trim().replace(/\/+$/, '')
  return { ...options, files: [...files, ...text], ...(folder === '' ? {} : { prefix: folder }) }
}
