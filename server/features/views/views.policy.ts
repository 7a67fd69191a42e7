import { permissionRoles } from '../../../contract/common/roles.ts'
import type { SavedViewsTable } from '../../db/schema/views.ts'
import type { Query } from '../../db/types.ts'
import { type Context, principalOf } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import { hasRoleIn, isVisible, roleIn } from '../../lib/scope.ts'
import { findView } from './views.store.ts'

/** Number of views that an account may save, so that a script cannot fill the store. */
export const maxViews = 500

const sharingRole = permissionRoles['views.share']

const isOwn = (ctx: Context, { owner }: SavedViewsTable): boolean => owner === principalOf(ctx.actor)

/** Returns true if this caller sees the view: a private own one, or one of a visible workspace. */
const isVisibleView = (ctx: Context, view: SavedViewsTable): boolean =>
  view.workspace_id === null ? isOwn(ctx, view) : isVisible(ctx.scope, view.workspace_id)

/** Returns true if this caller may change the view. */
export const mayEdit = (ctx: Context, view: SavedViewsTable): boolean =>
  isOwn(ctx, view) || (view.workspace_id !== null && hasRoleIn(ctx.scope, view.workspace_id, 'admin'))

/** Returns a view that this caller may change. Throws 404 for a private view of somebody else. */
export async function requiredView(q: Query, ctx: Context, id: string): Promise<SavedViewsTable> {
  const view = await findView(q, id)
  if (view === undefined || !isVisibleView(ctx, view))
    throw fail('not_found', { detail: 'Saved view not found.' })
  if (!mayEdit(ctx, view))
    throw fail('auth.forbidden', {
      detail: `Only ${view.owner_name} and admins can change this view. Save a copy instead.`,
      requiredRole: 'admin',
    })
  return view
}

/** Throws 403 if this caller may not share a view with the workspace, or change what others see of it. */
export function requireMayShare({ scope }: Context, workspaceId: string): void {
  if (hasRoleIn(scope, workspaceId, sharingRole)) return
  throw fail('auth.forbidden', {
    detail: `Sharing a view requires the role ${sharingRole}; yours is ${roleIn(scope, workspaceId) ?? 'none'}.`,
    requiredRole: sharingRole,
  })
}
