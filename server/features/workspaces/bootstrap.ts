import { defaultWorkspaceId } from '../../../contract/system/workspaces.ts'
import type { Db } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fold } from '../../lib/text/search.ts'
import { findWorkspace } from '../../resources/workspaces.read.ts'
import { insertWorkspace, type WorkspaceRow } from './workspaces.store.ts'

/** Creates the built-in workspace if it does not exist, on the first start. Returns true if it did. */
export async function ensureDefaultWorkspace(
  { db, history }: { readonly db: Db; readonly history: History },
  ctx: Context,
): Promise<boolean> {
  if (await findWorkspace(db.read, defaultWorkspaceId)) return false
  const nowMs = ctx.now.getTime()
  const row: WorkspaceRow = {
    id: defaultWorkspaceId,
    slug: defaultWorkspaceId,
    name: 'Default',
    name_folded: fold('Default'),
    description: '',
    protected_envs: '',
    capture: null,
    time_zone: null,
    budget: null,
    created_at: nowMs,
    updated_at: nowMs,
  }
  return db.write(
    async (tx) => {
      // Another instance, started at the same time, may have created it meanwhile.
      if (await findWorkspace(tx.q, defaultWorkspaceId)) return false
      await insertWorkspace(tx.q, row)
      await history.record(tx, ctx, {
        action: 'create',
        resource: 'workspace',
        resourceId: row.id,
        key: row.slug,
        workspaceId: row.id,
        summary: 'Created the built-in workspace',
        after: { id: row.id, name: row.name, slug: row.slug, description: row.description },
      })
      return true
    },
    { evenWhenFull: true },
  )
}
