import type { WorkspacesTable } from '../db/schema/schema.ts'
import type { Query } from '../db/types.ts'
import { invalid } from '../lib/fail.ts'
import { findWorkspace } from './workspaces.read.ts'

/** Returns the workspace given by id or slug. Throws 422 if there is none. */
export async function requiredWorkspace(q: Query, idOrSlug: string): Promise<WorkspacesTable> {
  const workspace = await findWorkspace(q, idOrSlug)
  if (workspace === undefined) throw invalid('workspace_id', 'Workspace not found')
  return workspace
}
