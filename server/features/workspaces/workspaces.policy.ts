import { hasRole, type Permission, permissionRoles, type Role } from '../../../contract/common/roles.ts'
import { type Budget, defaultTimeZone } from '../../../contract/gateway/budgets.ts'
import type { CaptureMode } from '../../../contract/models/models.ts'
import { defaultWorkspaceId } from '../../../contract/system/workspaces.ts'
import type { Query } from '../../db/types.ts'
import type { Context, Scope } from '../../lib/context.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { requireAllWorkspaces, requireInScope, roleIn } from '../../lib/scope.ts'
import { isIdShaped } from '../../lib/text/slugs.ts'
import { budgetText } from '../../resources/budgets/budget-text.ts'
import { findSlug, findWorkspace, findWorkspaceById } from '../../resources/workspaces.read.ts'
import type { Moved } from './workspaces.contents.store.ts'
import type { WorkspaceRow } from './workspaces.store.ts'

const notFound = 'Workspace not found.'

/** Returns the workspace given by id or slug. Throws 404 if none exists for the caller. */
export async function requireWorkspace(q: Query, scope: Scope, idOrSlug: string): Promise<WorkspaceRow> {
  const row = await findWorkspace(q, idOrSlug)
  if (!row) throw fail('not_found', { detail: notFound })
  requireInScope(scope, row.id, notFound)
  return row
}

/** Returns the caller's role in the workspace, or in the whole service (null). */
const roleFor = ({ actor, scope }: Context, workspaceId: string | null): Role | null =>
  workspaceId === null ? actor.role : roleIn(scope, workspaceId)

const may = (ctx: Context, permission: Permission, workspaceId: string | null): boolean => {
  const role = roleFor(ctx, workspaceId)
  return role !== null && hasRole(role, permissionRoles[permission])
}

/**
 * Throws 403 for a caller without this permission in the workspace, or in the whole service (null).
 * `messageStart` is the message up to "the role".
 */
function requirePermission(
  ctx: Context,
  permission: Permission,
  workspaceId: string | null,
  messageStart: string,
): void {
  if (may(ctx, permission, workspaceId)) return
  const requiredRole = permissionRoles[permission]
  throw fail('auth.forbidden', {
    detail: `${messageStart} the role ${requiredRole}; yours is ${roleFor(ctx, workspaceId) ?? 'none'}.`,
    requiredRole,
  })
}

/** Returns the protected environments to store. Sending the current ones requires no further permission. */
export function protectedEnvs(
  ctx: Context,
  workspaceId: string | null,
  envs: readonly string[] | undefined,
  before: string,
): string {
  const after = envs?.join(',') ?? before
  if (after !== before)
    requirePermission(
      ctx,
      'environments.protected',
      workspaceId,
      'Changing which environments are protected requires',
    )
  return after
}

/** Returns the capture mode to store. Changing it needs the permission to change settings. */
export function captureOf(
  ctx: Context,
  requested: CaptureMode | null | undefined,
  before: CaptureMode | null,
): CaptureMode | null {
  const after = requested === undefined ? before : requested
  if (after !== before) requirePermission(ctx, 'settings.manage', null, 'Changing the capture mode requires')
  return after
}

type GatewayFields = Pick<WorkspaceRow, 'time_zone' | 'budget'>

const zoneText = (zone: string | null): string | null => (zone === defaultTimeZone ? null : zone)

/** Returns the time zone and the budget to store. Changing them needs the permission to change settings. */
export function gatewayFieldsOf(
  ctx: Context,
  body: { readonly time_zone?: string | null | undefined; readonly budget?: Budget | null | undefined },
  { time_zone: zone, budget }: GatewayFields,
): GatewayFields {
  const after = {
    time_zone: body.time_zone === undefined ? zone : zoneText(body.time_zone),
    budget: body.budget === undefined ? budget : budgetText(body.budget),
  }
  if (after.time_zone !== zone || after.budget !== budget)
    requirePermission(ctx, 'settings.manage', null, 'Changing the time zone or the budget requires')
  return after
}

/** Throws if this caller may not change the slug: apps that fetch from a protected environment use it. */
export function requireMayChangeSlug(ctx: Context, { id, protected_envs, name }: WorkspaceRow): void {
  // Slugs are unique across all workspaces: a taken one would reveal that another workspace exists.
  requireAllWorkspaces(ctx, 'Changing the slug of a workspace')
  if (id === defaultWorkspaceId)
    throw fail('workspace.default_protected', {
      detail: 'The slug of the default workspace cannot be changed.',
    })
  if (protected_envs === '') return
  requirePermission(
    ctx,
    'environments.protected',
    id,
    `The workspace ${name} has protected environments (${protected_envs.replaceAll(',', ', ')}). Changing its slug requires`,
  )
}

/** Throws 403 if a moved prompt would be served in an environment that the workspace protects from this caller. */
export function requireMayServe(ctx: Context, workspace: WorkspaceRow, { promptEvents = [] }: Moved): void {
  const { id, name, protected_envs } = workspace
  for (const { key, env } of promptEvents) {
    if (protected_envs.split(',').includes(env))
      requirePermission(
        ctx,
        'environments.protected',
        id,
        `The workspace ${name} protects the environment ${env}. Moving the served prompt ${key} there requires`,
      )
  }
}

function slugTaken(message: string) {
  return fail('workspace.slug_taken', { detail: `${message}.`, errors: [{ path: 'slug', message }] })
}

/**
 * Throws if this caller may not assign the slug to the workspace `workspaceId` (null: a new one). An earlier
 * slug of a workspace still refers to it, so no other workspace gets it. Apps may still use the slug of a
 * deleted workspace, so assigning it needs a higher permission.
 */
export async function requireFreeSlug(
  q: Query,
  ctx: Context,
  slug: string,
  workspaceId: string | null,
): Promise<void> {
  if (isIdShaped(slug)) throw invalid('slug', 'A slug must not look like an ID')
  const assigned = await findSlug(q, slug)
  if (assigned === undefined || assigned.workspace_id === workspaceId) return
  const holder = await findWorkspaceById(q, assigned.workspace_id)
  if (holder === undefined) {
    requirePermission(
      ctx,
      'workspaces.delete',
      null,
      `The slug ${slug} belonged to a deleted workspace, and apps may still use it. Assigning it to another workspace requires`,
    )
    return
  }
  throw slugTaken(
    holder.slug === slug
      ? `The slug ${slug} is taken`
      : `The slug ${slug} is taken: it is a former slug of the workspace ${holder.name}`,
  )
}

/**
 * Returns true for a slug that this caller may not assign to a new workspace. The generator of slugs skips
 * it.
 */
export async function isSlugTaken(q: Query, ctx: Context, slug: string): Promise<boolean> {
  const assigned = await findSlug(q, slug)
  if (assigned === undefined) return false
  return (
    !may(ctx, 'workspaces.delete', null) || (await findWorkspaceById(q, assigned.workspace_id)) !== undefined
  )
}
