import type { WorkspaceColumns } from './budgets.ts'

/** Every slug ever used, and the workspace that had it last, which may be deleted. */
export type WorkspaceSlugsTable = { slug: string; workspace_id: string }

export type WorkspacesTable = WorkspaceColumns & {
  id: string
  slug: string
  name: string
  /** NFKC and lower case, for sorting and search. */
  name_folded: string
  description: string
  /** Comma-separated. */
  protected_envs: string
  /** Null: the global setting applies. */
  capture: 'off' | 'redacted' | 'full' | null
  created_at: number
  updated_at: number
}
