import { hasRole, type Role } from '../../contract/common/roles.ts'
import type { Actor, Context, Scope } from './context.ts'
import { fail } from './fail.ts'

/*
 * The only place that decides which workspaces exist for a caller. Stores take a `Scope`, so that a query cannot be
 * written without the decision; `inScope` in db/dialect is its SQL condition.
 */

/** The scope of work that the service does by itself, and of reads whose workspace was checked before. */
export const everyWorkspace: Scope = { memberships: null, role: 'admin', required: null }

/** Returns the scope of a caller. `required`: the role that the request needs in its workspace. */
export const scopeOf = ({ role, memberships }: Actor, required: Role | null): Scope => ({
  memberships: memberships ?? null,
  role,
  required,
})

/** Returns a text that is the same only for scopes that see the same and may do the same. */
export const keyOfScope = ({ memberships, role, required }: Scope): string =>
  JSON.stringify([memberships === null ? null : [...memberships], role, required])

/** Returns the role in a workspace. Null: it does not exist for the caller. */
export function roleIn({ memberships, role }: Scope, workspaceId: string | null): Role | null {
  if (memberships === null) return role
  return workspaceId === null ? null : (memberships.get(workspaceId) ?? null)
}

/** Returns true if something of this workspace exists for the caller. Null: it belongs to no workspace. */
export const isVisible = (scope: Scope, workspaceId: string | null): boolean =>
  scope.memberships === null || roleIn(scope, workspaceId) !== null

/** Returns true if every workspace exists for the caller, and what belongs to none. */
export const seesAll = ({ memberships }: Scope): boolean => memberships === null

/** Returns true if the caller has at least this role in the workspace. */
export function hasRoleIn(scope: Scope, workspaceId: string | null, required: Role): boolean {
  const role = roleIn(scope, workspaceId)
  return role !== null && hasRole(role, required)
}

/** Returns the ids of the visible workspaces; null: all. */
export const visibleIds = ({ memberships }: Scope): readonly string[] | null =>
  memberships === null ? null : [...memberships.keys()]

/**
 * Throws if the request may not be made in this workspace: 404 with `notFound` if it does not exist for the caller,
 * exactly as for an id that nothing has; 403 if the role in it is too low.
 */
export function requireInScope(scope: Scope, workspaceId: string | null, notFound: string): void {
  if (!isVisible(scope, workspaceId)) throw fail('not_found', { detail: notFound })
  requireRoleIn(scope, workspaceId, scope.required)
}

/** Throws 403 if the role in a visible workspace is too low. */
export function requireRoleIn(scope: Scope, workspaceId: string | null, required: Role | null): void {
  if (required === null || scope.memberships === null || hasRoleIn(scope, workspaceId, required)) return
  throw fail('auth.forbidden', {
    detail: `This requires the role ${required} in this workspace; yours is ${roleIn(scope, workspaceId) ?? 'none'}.`,
    requiredRole: required,
  })
}

/** Throws 403 for a caller with listed workspaces. `what` is the beginning of the message. */
export function requireAllWorkspaces({ scope }: Context, what: string): void {
  if (scope.memberships === null) return
  throw fail('auth.forbidden', {
    detail: `${what} requires access to all workspaces; yours is limited to a list.`,
  })
}

/** Returns a text that identifies the access of a caller: replies are repeated only to the same access. */
export const accessText = ({ memberships }: Scope): string =>
  memberships === null ? '' : JSON.stringify([...memberships].toSorted(([a], [b]) => (a < b ? -1 : 1)))
