import type { WorkspacesTable } from '../db/schema/workspaces.ts'
import type { Query } from '../db/types.ts'
import type { Scope } from '../lib/context.ts'
import { invalid } from '../lib/fail.ts'
import { isVisible, requireRoleIn } from '../lib/scope.ts'
import { findWorkspace } from './workspaces.read.ts'

/** Returns the workspace given by id or slug; undefined if none exists for the caller. */
export async function findVisibleWorkspace(
  q: Query,
  scope: Scope,
  idOrSlug: string,
): Promise<WorkspacesTable | undefined> {
  const workspace = await findWorkspace(q, idOrSlug)
  return workspace !== undefined && isVisible(scope, workspace.id) ? workspace : undefined
}

/**
 * Returns the workspace given by id or slug. Throws 422 that names `field` if none exists for the caller, and 403
 * if the role in it is too low for the request.
 */
export async function requiredWorkspace(
  q: Query,
  scope: Scope,
  idOrSlug: string,
  field = 'workspace_id',
): Promise<WorkspacesTable> {
  const workspace = await findVisibleWorkspace(q, scope, idOrSlug)
  if (workspace === undefined) throw invalid(field, 'Workspace not found')
  requireRoleIn(scope, workspace.id, scope.required)
  return workspace
}
