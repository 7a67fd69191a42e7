import { type DeletedWorkspace, defaultWorkspaceId } from '../../../contract/system/workspaces.ts'
import type { Tx } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { everyWorkspace } from '../../lib/scope.ts'
import { labelOf } from '../../resources/versions.ts'
import type { Contents, Moved } from './workspaces.contents.store.ts'
import { requireMayServe, requireWorkspace } from './workspaces.policy.ts'
import { placeOf, type RenamedKeys } from './workspaces.references.ts'
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
  const renamed: RenamedKeys = new Map()
  const move = {
    from: from.id,
    to: defaultWorkspaceId,
    slug: from.slug,
    nowMs: ctx.now.getTime(),
    by: ctx.actor.name,
    renamed,
  }
  const target = await requireWorkspace(tx.q, everyWorkspace, defaultWorkspaceId)
  for (const { noun, resource, moveAll } of contents) {
    const items = await moveAll(tx.q, move)
    moved[noun] = items.filter((item) => item.isCounted).length
    for (const item of items) {
      requireMayServe(ctx, target, item)
      if (item.from !== item.to) {
        moved.renamed.push({ from: item.from, to: item.to })
        renamed.set(placeOf(resource, item.from, item.env ?? null), item.to)
      }
      await history.record(tx, ctx, {
        action: 'update',
        resource,
        resourceId: item.id,
        key: item.to,
        workspaceId: defaultWorkspaceId,
        summary: summaryOf(resource, item, from.slug),
        before: { workspace_id: from.id, key: item.from },
        after: {
          workspace_id: defaultWorkspaceId,
          key: item.to,
          ...(item.version && { version: labelOf(item.version) }),
        },
        ...(item.promptEvents !== undefined && { promptEvents: item.promptEvents }),
      })
    }
  }
  return moved
}

function summaryOf(resource: string, { from, to, version }: Moved, slug: string): string {
  const keyNote = from === to ? '' : ` as ${to}`
  return `Moved the ${resource} ${from} from ${slug} to default${keyNote}${version ? `, now ${labelOf(version)}` : ''}`
}
