import type { z } from 'zod'
import { permissionRoles } from '../../../contract/common/roles.ts'
import {
  type CreateWorkspaceBody,
  type DeletedWorkspace,
  defaultWorkspaceId,
  type FormerWorkspace,
  type ListWorkspacesQuery,
  type UpdateWorkspaceBody,
  type Workspace,
} from '../../../contract/system/workspaces.ts'
import type { Db, Query, Tx } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { planPage, toPage } from '../../lib/paging.ts'
import { hasRoleIn, seesAll } from '../../lib/scope.ts'
import { fold } from '../../lib/text/search.ts'
import { freeSlug, slugOf } from '../../lib/text/slugs.ts'
import { type Contents, countContents } from './workspaces.contents.store.ts'
import { moveContents } from './workspaces.move.ts'
import {
  captureOf,
  gatewayFieldsOf,
  isSlugTaken,
  protectedEnvs,
  requireFreeSlug,
  requireMayChangeSlug,
  requireWorkspace,
} from './workspaces.policy.ts'
import {
  deleteWorkspace,
  insertWorkspace,
  listDeleted,
  listWorkspaces,
  toWire,
  updateWorkspace,
  type WorkspaceRow,
  workspaceKeys,
  workspaceOrder,
} from './workspaces.store.ts'

export type WorkspacesDeps = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  readonly contents: readonly Contents[]
  /** Removes the memberships and tokens of a deleted workspace, in its transaction. Returns the number of tokens. */
  readonly onDeleted: (tx: Tx, workspaceId: string) => Promise<number>
}

type UpdateBody = z.output<typeof UpdateWorkspaceBody>

export type WorkspacesService = ReturnType<typeof createWorkspacesService>

/** Manages workspaces and counts their contents. */
export function createWorkspacesService(deps: WorkspacesDeps) {
  const { db } = deps
  return {
    list: (ctx: Context, query: z.output<typeof ListWorkspacesQuery>) => list(deps, ctx, query),
    async get(ctx: Context, idOrSlug: string): Promise<Workspace> {
      return describe(deps, db.read, await requireWorkspace(db.read, ctx.scope, idOrSlug))
    },
    /** Only for callers with access to all workspaces: a deleted one is in nobody's list. */
    deleted: async ({ scope }: Context): Promise<FormerWorkspace[]> =>
      seesAll(scope) ? listDeleted(db.read) : [],
    create: (ctx: Context, body: z.output<typeof CreateWorkspaceBody>): Promise<Workspace> =>
      db.write((tx) => create(deps, tx, ctx, body)),
    update: (ctx: Context, idOrSlug: string, body: UpdateBody): Promise<Workspace> =>
      db.write((tx) => update(deps, tx, ctx, idOrSlug, body)),
    remove: (ctx: Context, idOrSlug: string): Promise<DeletedWorkspace> =>
      db.write((tx) => remove(deps, tx, ctx, idOrSlug), { evenWhenFull: true, isLong: true }),
  }
}

async function list(
  { db, contents }: WorkspacesDeps,
  { scope }: Context,
  query: z.output<typeof ListWorkspacesQuery>,
) {
  const plan = planPage(query, workspaceOrder(query.sort ?? 'name'))
  const { rows, total } = await listWorkspaces(db.read, scope, query.q, plan)
  const page = toPage(plan, rows, total, workspaceKeys(plan.order.name), (row) => row)
  const ids = page.data.map((row) => row.id)
  const countsOf = await countContents(db.read, contents, ids)
  return { ...page, data: page.data.map((row) => toWire(row, countsOf(row.id))) }
}

async function describe({ contents }: WorkspacesDeps, q: Query, row: WorkspaceRow): Promise<Workspace> {
  const countsOf = await countContents(q, contents, [row.id])
  return toWire(row, countsOf(row.id))
}

async function create(
  deps: WorkspacesDeps,
  tx: Tx,
  ctx: Context,
  body: z.output<typeof CreateWorkspaceBody>,
): Promise<Workspace> {
  if (body.slug !== undefined) await requireFreeSlug(tx.q, ctx, body.slug, null)
  const nowMs = ctx.now.getTime()
  const row: WorkspaceRow = {
    id: deps.newId(),
    slug: body.slug ?? (await freeSlug(slugOf(body.name), (slug) => isSlugTaken(tx.q, ctx, slug))),
    name: body.name,
    name_folded: fold(body.name),
    description: body.description ?? '',
    protected_envs: protectedEnvs(ctx, null, body.protected_envs, ''),
    capture: captureOf(ctx, body.capture, null),
    ...gatewayFieldsOf(ctx, body, { time_zone: null, budget: null }),
    created_at: nowMs,
    updated_at: nowMs,
  }
  await insertWorkspace(tx.q, row)
  const workspace = await describe(deps, tx.q, row)
  await deps.history.record(tx, ctx, {
    action: 'create',
    resource: 'workspace',
    resourceId: row.id,
    key: row.slug,
    workspaceId: row.id,
    summary: `Created the workspace ${row.name}`,
    after: workspace,
  })
  return workspace
}

/** Changes a workspace. If nothing differs, there is no audit entry and no new `updated_at`. */
async function update(
  { contents, history }: WorkspacesDeps,
  tx: Tx,
  ctx: Context,
  idOrSlug: string,
  body: UpdateBody,
): Promise<Workspace> {
  const before = await requireWorkspace(tx.q, ctx.scope, idOrSlug)
  const changed = withChanges(ctx, before, body)
  const counts = (await countContents(tx.q, contents, [before.id]))(before.id)
  const workspaceBefore = toWire(before, counts)
  if (isSame(before, changed)) return workspaceBefore
  if (changed.slug !== before.slug) {
    requireMayChangeSlug(ctx, before)
    await requireFreeSlug(tx.q, ctx, changed.slug, before.id)
  }
  const after: WorkspaceRow = { ...changed, updated_at: ctx.now.getTime() }
  const { id, ...columns } = after
  await updateWorkspace(tx.q, id, columns)
  const workspace = toWire(after, counts)
  await history.record(tx, ctx, {
    action: 'update',
    resource: 'workspace',
    resourceId: id,
    key: after.slug,
    workspaceId: id,
    summary:
      after.name === before.name
        ? `Changed the workspace ${after.name}`
        : `Renamed the workspace ${before.name} to ${after.name}`,
    before: workspaceBefore,
    after: workspace,
  })
  return workspace
}

/** Returns the row with the fields of a PATCH. A missing field is unchanged, null clears it. */
function withChanges(ctx: Context, before: WorkspaceRow, body: UpdateBody): WorkspaceRow {
  const name = body.name ?? before.name
  return {
    ...before,
    name,
    name_folded: fold(name),
    slug: body.slug ?? before.slug,
    description: body.description === undefined ? before.description : (body.description ?? ''),
    protected_envs: protectedEnvs(ctx, before.id, body.protected_envs, before.protected_envs),
    capture: captureOf(ctx, body.capture, before.capture),
    ...gatewayFieldsOf(ctx, body, before),
  }
}

const editable = ['name', 'slug', 'description', 'protected_envs', 'capture', 'time_zone', 'budget'] as const

const isSame = (before: WorkspaceRow, after: WorkspaceRow): boolean =>
  editable.every((column) => before[column] === after[column])

/** Deletes a workspace. Its contents move to `default` in the same transaction. */
async function remove(
  deps: WorkspacesDeps,
  tx: Tx,
  ctx: Context,
  idOrSlug: string,
): Promise<DeletedWorkspace> {
  const { history, contents } = deps
  const row = await requireWorkspace(tx.q, ctx.scope, idOrSlug)
  if (row.id === defaultWorkspaceId) {
    throw fail('workspace.default_protected', { detail: 'The default workspace cannot be deleted.' })
  }
  // Its contents move to the default workspace, so the caller must also be allowed to write there.
  if (!hasRoleIn(ctx.scope, defaultWorkspaceId, permissionRoles['resources.write']))
    throw fail('auth.forbidden', {
      detail: `Deleting a workspace moves its contents to the default workspace, which requires the role ${permissionRoles['resources.write']} there.`,
    })
  const workspaceBefore = await describe(deps, tx.q, row)
  const moved = await moveContents({ tx, ctx, history, contents, from: row })
  await deleteWorkspace(tx.q, row.id)
  const tokens = await deps.onDeleted(tx, row.id)
  await history.record(tx, ctx, {
    action: 'delete',
    resource: 'workspace',
    resourceId: row.id,
    key: row.slug,
    workspaceId: row.id,
    summary: `Deleted the workspace ${row.name}${tokens === 0 ? '' : `; API tokens that end with it: ${tokens}`}`,
    before: workspaceBefore,
    ...(tokens > 0 && { alsoChanged: 'token' }),
  })
  return { ok: true, moved }
}
