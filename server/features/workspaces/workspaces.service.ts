import type { z } from 'zod'
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
import { fail } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { planPage, toPage } from '../../lib/paging.ts'
import { fold } from '../../lib/text/search.ts'
import { freeSlug, slugOf } from './slugs.ts'
import { type Contents, countContents } from './workspaces.contents.store.ts'
import { moveContents } from './workspaces.move.ts'
import {
  captureOf,
  isSlugTaken,
  protectedEnvs,
  required,
  requireFreeSlug,
  requireSlugChange,
} from './workspaces.policy.ts'
import {
  deleteWorkspace,
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
        if (body.slug !== undefined) await requireFreeSlug(tx.q, ctx, body.slug, null)
        const nowMs = ctx.now.getTime()
        const row: WorkspaceRow = {
          id: newId(),
          slug: body.slug ?? (await freeSlug(slugOf(body.name), (slug) => isSlugTaken(tx.q, ctx, slug))),
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

    /** Changes a workspace. If nothing differs, there is no audit entry and no new `updated_at`. */
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
          requireSlugChange(ctx, before)
          await requireFreeSlug(tx.q, ctx, after.slug, before.id)
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

    /** Deletes a workspace. Its contents move to `default` in the same transaction. */
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
