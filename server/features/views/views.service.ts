import type { z } from 'zod'
import type { InputOf } from '../../../contract/common/endpoint.ts'
import type {
  CreateViewBody,
  views as endpoints,
  SavedView,
  UpdateViewBody,
} from '../../../contract/system/views.ts'
import type { SavedViewsTable } from '../../db/schema/views.ts'
import type { Db, Query } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import { type Context, principalOf } from '../../lib/context.ts'
import { fail, invalid } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { type PageReply, planPage, toPage } from '../../lib/paging.ts'
import { fold } from '../../lib/text/search.ts'
import { requiredWorkspace } from '../../resources/required-workspace.ts'
import { maxViews, mayEdit, requiredView, requireMayShare } from './views.policy.ts'
import {
  countViews,
  deleteView,
  insertView,
  listViews,
  updateView,
  viewKeys,
  viewOrder,
} from './views.store.ts'

type Deps = { readonly db: Db; readonly history: History; readonly newId: NewId }
type CreateBody = z.output<typeof CreateViewBody>
type UpdateBody = z.output<typeof UpdateViewBody>
type ListQuery = InputOf<typeof endpoints.list>['query']

/** Saved views of lists: own ones, and those that are shared with a workspace. */
export type ViewsService = {
  list(ctx: Context, query: ListQuery): Promise<PageReply<SavedView>>
  create(ctx: Context, body: CreateBody): Promise<SavedView>
  update(ctx: Context, id: string, body: UpdateBody): Promise<SavedView>
  remove(ctx: Context, id: string): Promise<{ ok: true }>
}

export const createViewsService = (deps: Deps): ViewsService => ({
  list: (ctx, query) => list(deps, ctx, query),
  create: (ctx, body) => create(deps, ctx, body),
  update: (ctx, id, body) => update(deps, ctx, id, body),
  remove: (ctx, id) => remove(deps, ctx, id),
})

function toWire(ctx: Context, row: SavedViewsTable): SavedView {
  return {
    id: row.id,
    name: row.name,
    page: row.page,
    query: row.query,
    // Written by this service as a JSON array of texts.
    columns: row.columns === null ? null : (JSON.parse(row.columns) as string[]),
    shared: row.workspace_id !== null,
    workspace_id: row.workspace_id,
    owner: row.owner_name,
    can_edit: mayEdit(ctx, row),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}

/**
 * Returns the fields of a view for the audit log. Other users read the log, so it contains only the page of a
 * private view.
 */
function auditFieldsOf(ctx: Context, row: SavedViewsTable) {
  const { name, page, query, columns, shared, workspace_id } = toWire(ctx, row)
  return shared ? { name, page, query, columns, shared, workspace_id } : { page, shared }
}

/** Returns the name of a view for the audit log; null for a private one. */
const auditNameOf = ({ name, workspace_id }: SavedViewsTable): string | null =>
  workspace_id === null ? null : name

async function list({ db }: Deps, ctx: Context, query: ListQuery): Promise<PageReply<SavedView>> {
  const plan = planPage(query, viewOrder(query.sort ?? 'name'))
  const { rows, total } = await listViews(db.read, ctx.scope, principalOf(ctx.actor), query, plan)
  return toPage(plan, rows, total, viewKeys, (row) => toWire(ctx, row))
}

/** Returns the workspace with which a view is shared after a request; null: with none. */
async function workspaceAfter(
  q: Query,
  { scope }: Context,
  { shared, workspace_id: requested }: Pick<UpdateBody, 'shared' | 'workspace_id'>,
  before: string | null,
): Promise<string | null> {
  const isShared = shared ?? before !== null
  if (!isShared) {
    if (requested) throw invalid('workspace_id', 'Set `shared` to share the view with a workspace')
    return null
  }
  if (requested === undefined && before !== null) return before
  if (!requested) throw invalid('workspace_id', 'Set the workspace with which the view is shared')
  return (await requiredWorkspace(q, scope, requested)).id
}

const textOf = (columns: readonly string[] | null): string | null =>
  columns === null ? null : JSON.stringify(columns)

function create({ db, history, newId }: Deps, ctx: Context, body: CreateBody): Promise<SavedView> {
  const owner = principalOf(ctx.actor)
  return db.write(async (tx) => {
    if ((await countViews(tx.q, owner)) >= maxViews)
      throw fail('request.invalid', {
        detail: `The limit of ${maxViews} saved views is reached. Delete views that are not used.`,
      })
    const workspaceId = await workspaceAfter(tx.q, ctx, body, null)
    if (workspaceId !== null) requireMayShare(ctx, workspaceId)
    const row: SavedViewsTable = {
      id: newId(),
      owner,
      owner_name: ctx.actor.name,
      name: body.name,
      name_folded: fold(body.name),
      page: body.page,
      query: body.query,
      columns: textOf(body.columns ?? null),
      workspace_id: workspaceId,
      created_at: ctx.now.getTime(),
      updated_at: ctx.now.getTime(),
    }
    await insertView(tx.q, row)
    await history.record(tx, ctx, {
      action: 'create',
      resource: 'view',
      resourceId: row.id,
      key: auditNameOf(row),
      workspaceId,
      summary: workspaceId === null ? 'Saved a private view' : `Saved the view ${row.name}, shared`,
      after: auditFieldsOf(ctx, row),
    })
    return toWire(ctx, row)
  })
}

function update({ db, history }: Deps, ctx: Context, id: string, body: UpdateBody): Promise<SavedView> {
  return db.write(async (tx) => {
    const before = await requiredView(tx.q, ctx, id)
    const workspaceId = await workspaceAfter(tx.q, ctx, body, before.workspace_id)
    // Making a view private needs no permission beyond owning it.
    if (workspaceId !== null) requireMayShare(ctx, workspaceId)
    const name = body.name ?? before.name
    const changed = {
      name,
      name_folded: fold(name),
      query: body.query ?? before.query,
      columns: body.columns === undefined ? before.columns : textOf(body.columns),
      workspace_id: workspaceId,
    }
    const isSame = Object.entries(changed).every(
      ([field, value]) => before[field as keyof typeof changed] === value,
    )
    if (isSame) return toWire(ctx, before)
    const after: SavedViewsTable = { ...before, ...changed, updated_at: ctx.now.getTime() }
    await updateView(tx.q, after)
    await history.record(tx, ctx, {
      action: 'update',
      resource: 'view',
      resourceId: id,
      key: auditNameOf(after) ?? auditNameOf(before),
      workspaceId: after.workspace_id ?? before.workspace_id,
      summary: summaryOf(before, after),
      before: auditFieldsOf(ctx, before),
      after: auditFieldsOf(ctx, after),
    })
    return toWire(ctx, after)
  })
}

function summaryOf(before: SavedViewsTable, after: SavedViewsTable): string {
  const [was, is] = [auditNameOf(before), auditNameOf(after)]
  if (is === null) return was === null ? 'Changed a private view' : `Made the view ${was} private`
  return before.workspace_id === after.workspace_id ? `Changed the view ${is}` : `Shared the view ${is}`
}

async function remove({ db, history }: Deps, ctx: Context, id: string): Promise<{ ok: true }> {
  await db.write(
    async (tx) => {
      const row = await requiredView(tx.q, ctx, id)
      await deleteView(tx.q, id)
      await history.record(tx, ctx, {
        action: 'delete',
        resource: 'view',
        resourceId: id,
        key: auditNameOf(row),
        workspaceId: row.workspace_id,
        summary: row.workspace_id === null ? 'Deleted a private view' : `Deleted the view ${row.name}`,
        before: auditFieldsOf(ctx, row),
      })
    },
    { evenWhenFull: true },
  )
  return { ok: true }
}
