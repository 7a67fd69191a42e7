import { hasRole, permissionRoles } from '../../../contract/common/roles.ts'
import type { SavedViewsTable } from '../../db/schema/views.ts'
import type { Query } from '../../db/types.ts'
import { type Context, principalOf } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import { findView } from './views.store.ts'

/** Number of views that an account may save, so that a script cannot fill the store. */
export const maxViews = 500

const sharingRole = permissionRoles['views.share']

const isOwn = (ctx: Context, { owner }: SavedViewsTable): boolean => owner === principalOf(ctx.actor)

/** Returns true if this caller may change the view. */
export const mayEdit = (ctx: Context, view: SavedViewsTable): boolean =>
  isOwn(ctx, view) || (view.workspace_id !== null && ctx.actor.role === 'admin')

/** Returns a view that this caller may change. Throws 404 for a private view of somebody else. */
export async function requiredView(q: Query, ctx: Context, id: string): Promise<SavedViewsTable> {
  const view = await findView(q, id)
  if (view === undefined || !(isOwn(ctx, view) || view.workspace_id !== null))
    throw fail('not_found', { detail: 'Saved view not found.' })
  if (!mayEdit(ctx, view))
    throw fail('auth.forbidden', {
      detail: `Only ${view.owner_name} and admins can change this view. Save a copy instead.`,
      requiredRole: 'admin',
    })
  return view
}

/** Throws 403 if this caller may not change with whom a view is shared, or what others see of it. */
export function requireMayShare({ actor: { role } }: Context): void {
  if (role !== null && hasRole(role, sharingRole)) return
  throw fail('auth.forbidden', {
    detail: `Sharing a view requires the role ${sharingRole}; yours is ${role ?? 'none'}.`,
    requiredRole: sharingRole,
  })
}
