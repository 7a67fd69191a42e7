import { useWorkspaceNames } from './useWorkspaceNames.ts'

type Row = { readonly workspace_id: string }

/** Returns a function that returns the workspace of a row as " · name" if the rows are in several; else empty. */
export function useWorkspaceSuffix(rows: readonly Row[]): (row: Row) => string {
  const ids = [...new Set(rows.map(({ workspace_id: id }) => id))]
  const nameOf = useWorkspaceNames(ids)
  return ({ workspace_id: id }) => (ids.length > 1 ? ` · ${nameOf(id) ?? id}` : '')
}
