import { type DeletedWorkspace, defaultWorkspaceId } from '../../../contract/system/workspaces.ts'
import type { Tx } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { everyWorkspace } from '../../lib/scope.ts'
import type { Contents } from './workspaces.contents.store.ts'
import { requireMayServe, requireWorkspace } from './workspaces.policy.ts'
import type { WorkspaceRow } from './workspaces.store.ts'

/**
 * Moves the contents of a workspace to `default`, with one audit entry for each moved item. Throws 403 if the caller
 * may not change what is served there.
 */
export async function moveContents({
  tx,
  ctx,
  history,
  contents,
  from,
}: {
  readonly tx: Tx
  readonly ctx: Context
  readonly history: History
  readonly contents: readonly Contents[]
  readonly from: WorkspaceRow
}): Promise<DeletedWorkspace['moved']> {
  const moved: DeletedWorkspace['moved'] = { prompts: 0, agents: 0, workflows: 0, renamed: [] }
  const move = { from: from.id, to: defaultWorkspaceId, slug: from.slug, nowMs: ctx.now.getTime() }
  const target = await requireWorkspace(tx.q, everyWorkspace, defaultWorkspaceId)
  for (const { noun, resource, moveAll } of contents) {
    const items = await moveAll(tx.q, move)
    moved[noun] = items.filter((item) => item.isCounted).length
    for (const item of items) {
      requireMayServe(ctx, target, item)
      const isRenamed = item.from !== item.to
      if (isRenamed) moved.renamed.push({ from: item.from, to: item.to })
      await history.record(tx, ctx, {
        action: 'update',
        resource,
        resourceId: item.id,
        key: item.to,
        workspaceId: defaultWorkspaceId,
        summary: `Moved the ${resource} ${item.from} from ${from.slug} to default${isRenamed ? ` as ${item.to}` : ''}`,
        before: { workspace_id: from.id, key: item.from },
        after: { workspace_id: defaultWorkspaceId, key: item.to },
        ...(item.promptEvents !== undefined && { promptEvents: item.promptEvents }),
      })
    }
  }
  return moved
}
