import type { Import } from './imports.ts'

/** An import rule. `refuse` returns the reason why an import is forbidden, or null. */
export type Rule = { readonly name: string; readonly refuse: (imported: Import) => string | null }

export const isIn = (path: string, folder: string): boolean => path.startsWith(`${folder}/`)
