import { type DeletedWorkspace, defaultWorkspaceId } from '../../../contract/system/workspaces.ts'
import type { Tx } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import type { Contents } from './workspaces.contents.store.ts'
import type { WorkspaceRow } from './workspaces.store.ts'

/** Moves the contents of a workspace to `default`, with one audit entry for each moved item. */
export async function moveContents(given: {
  readonly tx: Tx
  readonly ctx: Context
  readonly history: History
  readonly contents: readonly Contents[]
  readonly from: WorkspaceRow
}): Promise<DeletedWorkspace['moved']> {
  const { tx, ctx, history, contents, from } = given
  const moved: DeletedWorkspace['moved'] = { prompts: 0, agents: 0, workflows: 0, renamed: [] }
  const move = { from: from.id, to: defaultWorkspaceId, slug: from.slug, nowMs: ctx.now.getTime() }
  for (const { noun, resource, moveAll } of contents) {
    const all = await moveAll(tx.q, move)
    moved[noun] = all.filter((one) => one.isCounted).length
    for (const one of all) {
      const isRenamed = one.from !== one.to
      if (isRenamed) moved.renamed.push({ from: one.from, to: one.to })
      await history.record(tx, ctx, {
        action: 'update',
        resource,
        resourceId: one.id,
        key: one.to,
        workspaceId: defaultWorkspaceId,
        summary: `Moved the ${resource} ${one.from} from ${from.slug} to default${isRenamed ? ` as ${one.to}` : ''}`,
        before: { workspace_id: from.id, key: one.from },
        after: { workspace_id: defaultWorkspaceId, key: one.to },
        ...(one.promptEvents !== undefined && { promptEvents: one.promptEvents }),
      })
    }
  }
  return moved
}
