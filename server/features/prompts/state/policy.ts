import type { Environment } from '../../../../contract/common/environments.ts'
import { permissionRoles } from '../../../../contract/common/roles.ts'
import type { Query } from '../../../db/types.ts'
import type { Context, Scope } from '../../../lib/context.ts'
import { fail } from '../../../lib/fail.ts'
import { hasRoleIn, requireInScope, roleIn } from '../../../lib/scope.ts'
import { requireState } from '../../../resources/changes.ts'
import { keyTaken } from '../../../resources/keys.ts'
import { findWhole, idAt, type WholeRow, type Workspace } from './prompts.store.ts'
import { etagOf, isProtected } from './prompts.wire.ts'

const notFound = 'Prompt not found.'

/** Returns a prompt that is not deleted. Throws 404 if none exists for the caller. */
export async function required(q: Query, scope: Scope, id: string): Promise<WholeRow> {
  const row = await findWhole(q, id)
  if (row === undefined || row.deleted_at !== null) throw fail('not_found', { detail: notFound })
  requireInScope(scope, row.workspace_id, notFound)
  return row
}

/** Returns a prompt in the trash. Throws 404. */
export async function requiredDeleted(q: Query, scope: Scope, id: string): Promise<WholeRow> {
  const row = await findWhole(q, id)
  if (row === undefined || row.deleted_at === null) throw fail('not_found', { detail: notFound })
  requireInScope(scope, row.workspace_id, notFound)
  return row
}

/** Throws 412 if `If-Match` is not the ETag of the current state. */
export const requireCurrent = (ifMatch: string | null, row: WholeRow): void =>
  requireState(ifMatch, etagOf(row), row)

export const protectedEnvRole = permissionRoles['environments.protected']

/** Returns the reason why this actor may not change what is served in the environment; null if they may. */
export function protectionMessage(
  ctx: Context,
  { id, protected_envs, name }: Pick<Workspace, 'id' | 'protected_envs' | 'name'>,
  env: Environment,
): string | null {
  if (!isProtected(protected_envs, env) || hasRoleIn(ctx.scope, id, protectedEnvRole)) return null
  const role = roleIn(ctx.scope, id) ?? 'none'
  return `The environment ${env} is protected in the workspace ${name}: changing what is served there requires the role ${protectedEnvRole}; yours is ${role}`
}

/** Throws 403 if this actor may not change what is served in the environment. */
export function requireUnprotected(
  ctx: Context,
  workspace: Pick<Workspace, 'id' | 'protected_envs' | 'name'>,
  env: Environment,
): void {
  const message = protectionMessage(ctx, workspace, env)
  if (message !== null)
    throw fail('auth.forbidden', { detail: `${message}.`, requiredRole: protectedEnvRole })
}

export const workspaceOf = (row: WholeRow): Workspace => ({
  id: row.workspace_id,
  slug: row.slug,
  name: row.workspace_name,
  protected_envs: row.protected_envs,
})

/** Throws 409 if the key is taken in that environment of the workspace. */
export async function requireFree(
  q: Query,
  workspace: Workspace,
  { key, env, path = 'key' }: { key: string; env: Environment; path?: string },
): Promise<void> {
  if ((await idAt(q, { workspaceId: workspace.id, key, env })) === undefined) return
  throw keyTaken('prompt.key_taken', { key, env }, workspace, path)
}
