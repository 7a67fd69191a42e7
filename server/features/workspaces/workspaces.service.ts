import type { z } from 'zod'
import type { CaptureMode } from '../../../contract/models.ts'
import { hasRole, permissionRoles } from '../../../contract/roles.ts'
import {
  type CreateWorkspaceBody,
  type DeletedWorkspace,
  defaultWorkspaceId,
  type ListWorkspacesQuery,
  type UpdateWorkspaceBody,
  type Workspace,
} from '../../../contract/workspaces.ts'
import type { Db, Query } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fail, invalid } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { planPage, toPage } from '../../lib/paging.ts'
import { fold } from '../../lib/text.ts'
import { freeSlug, isIdShaped, slugOf } from './slugs.ts'
import { type Contents, countContents } from './workspaces.contents.store.ts'
import { moveContents } from './workspaces.move.ts'
import {
  deleteWorkspace,
  findWorkspace,
  findWorkspaceBySlug,
  insertWorkspace,
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
}

async function required(q: Query, idOrSlug: string): Promise<WorkspaceRow> {
  const row = await findWorkspace(q, idOrSlug)
  if (!row) throw fail('not_found', { detail: 'There is no such workspace.' })
  return row
}

function slugTaken(slug: string) {
  const message = `The slug ${slug} is taken`
  return fail('workspace.slug_taken', { detail: `${message}.`, errors: [{ path: 'slug', message }] })
}

/** What stands may be sent back by anyone who may edit; only an admin changes it. */
function protectedEnvs(ctx: Context, given: readonly string[] | undefined, before: string): string {
  const after = given?.join(',') ?? before
  const { role } = ctx.actor
  const requiredRole = permissionRoles['environments.protected']
  if (after === before || (role !== null && hasRole(role, requiredRole))) return after
  throw fail('auth.forbidden', {
    detail: `Which environments are protected is for the role ${requiredRole} to say; yours is ${role ?? 'none'}.`,
    requiredRole,
  })
}

/** As with the setting: whoever may change that says what a workspace keeps. */
function captureOf(
  ctx: Context,
  given: CaptureMode | null | undefined,
  before: CaptureMode | null,
): CaptureMode | null {
  const after = given === undefined ? before : given
  const { role } = ctx.actor
  const requiredRole = permissionRoles['settings.manage']
  if (after === before || (role !== null && hasRole(role, requiredRole))) return after
  throw fail('auth.forbidden', {
    detail: `What is kept of runs is for the role ${requiredRole} to say; yours is ${role ?? 'none'}.`,
    requiredRole,
  })
}

async function requireFreeSlug(q: Query, slug: string): Promise<void> {
  if (isIdShaped(slug)) throw invalid('slug', 'A slug must not look like an id')
  if (await findWorkspaceBySlug(q, slug)) throw slugTaken(slug)
}

export type WorkspacesService = ReturnType<typeof createWorkspacesService>

export function createWorkspacesService({ db, history, newId, contents }: WorkspacesDeps) {
  const describe = async (q: Query, rows: readonly WorkspaceRow[]): Promise<Workspace[]> => {
    const countsOf = await countContents(
      q,
      contents,
      rows.map((row) => row.id),
    )
    return rows.map((row) => toWire(row, countsOf(row.id)))
  }
  const describeOne = async (q: Query, row: WorkspaceRow): Promise<Workspace> => {
    const countsOf = await countContents(q, contents, [row.id])
    return toWire(row, countsOf(row.id))
  }

  return {
    async list(_ctx: Context, query: z.output<typeof ListWorkspacesQuery>) {
      const plan = planPage(query, workspaceOrder(query.sort ?? 'name'))
      const { rows, total } = await listWorkspaces(db.read, query.q, plan)
      const page = toPage(plan, rows, total, workspaceKeys(plan.order.name), (row) => row)
      return { ...page, data: await describe(db.read, page.data) }
    },

    async get(_ctx: Context, idOrSlug: string): Promise<Workspace> {
      return describeOne(db.read, await required(db.read, idOrSlug))
    },

    create(ctx: Context, body: z.output<typeof CreateWorkspaceBody>): Promise<Workspace> {
      return db.write(async (tx) => {
        if (body.slug !== undefined) await requireFreeSlug(tx.q, body.slug)
        const isTaken = async (slug: string) => (await findWorkspaceBySlug(tx.q, slug)) !== undefined
        const nowMs = ctx.now.getTime()
        const row: WorkspaceRow = {
          id: newId(),
          slug: body.slug ?? (await freeSlug(slugOf(body.name), isTaken)),
          name: body.name,
          name_folded: fold(body.name),
          description: body.description ?? '',
          protected_envs: protectedEnvs(ctx, body.protected_envs, ''),
          capture: captureOf(ctx, body.capture, null),
          created_at: nowMs,
          updated_at: nowMs,
        }
        await insertWorkspace(tx.q, row)
        const workspace = await describeOne(tx.q, row)
        await history.record(tx, ctx, {
          action: 'create',
          resource: 'workspace',
          resourceId: row.id,
          key: row.slug,
          workspaceId: row.id,
          summary: `Created the workspace ${row.name}`,
          after: workspace,
        })
        return workspace
      })
    },

    /** A change of nothing leaves no trace: no audit entry, no new `updated_at`. */
    update(ctx: Context, idOrSlug: string, body: z.output<typeof UpdateWorkspaceBody>): Promise<Workspace> {
      return db.write(async (tx) => {
        const before = await required(tx.q, idOrSlug)
        const after: WorkspaceRow = {
          ...before,
          name: body.name ?? before.name,
          name_folded: fold(body.name ?? before.name),
          slug: body.slug ?? before.slug,
          // PATCH: absent leaves it, null clears it.
          description: body.description === undefined ? before.description : (body.description ?? ''),
          protected_envs: protectedEnvs(ctx, body.protected_envs, before.protected_envs),
          capture: captureOf(ctx, body.capture, before.capture),
        }
        const isChanged =
          after.name !== before.name ||
          after.slug !== before.slug ||
          after.description !== before.description ||
          after.protected_envs !== before.protected_envs ||
          after.capture !== before.capture
        const counts = (await countContents(tx.q, contents, [before.id]))(before.id)
        const was = toWire(before, counts)
        if (!isChanged) return was
        if (after.slug !== before.slug) {
          if (before.id === defaultWorkspaceId) {
            throw fail('workspace.default_protected', { detail: 'The default workspace keeps its slug.' })
          }
          await requireFreeSlug(tx.q, after.slug)
        }
        after.updated_at = ctx.now.getTime()
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
          before: was,
          after: workspace,
        })
        return workspace
      })
    },

    /** Nothing is lost: what the workspace holds moves to `default` in the same transaction. */
    remove(ctx: Context, idOrSlug: string): Promise<DeletedWorkspace> {
      return db.write(
        async (tx) => {
          const row = await required(tx.q, idOrSlug)
          if (row.id === defaultWorkspaceId) {
            throw fail('workspace.default_protected', { detail: 'The default workspace cannot be deleted.' })
          }
          const was = await describeOne(tx.q, row)
          const moved = await moveContents({ tx, ctx, history, contents, from: row })
          await deleteWorkspace(tx.q, row.id)
          await history.record(tx, ctx, {
            action: 'delete',
            resource: 'workspace',
            resourceId: row.id,
            key: row.slug,
            workspaceId: row.id,
            summary: `Deleted the workspace ${row.name}`,
            before: was,
          })
          return { ok: true, moved }
        },
        { evenWhenFull: true, isLong: true },
      )
    },
  }
}
