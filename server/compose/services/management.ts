import type { Config } from '../../config.ts'
import { createAuditService } from '../../features/audit/audit.service.ts'
import { createClientsService } from '../../features/clients/clients.service.ts'
import { servedVersionsOf } from '../../features/prompts/served/served.read.ts'
import { promptContents } from '../../features/prompts/state/contents.store.ts'
import { deleteTokensIn } from '../../features/tokens/tokens.store.ts'
import { createViewsService } from '../../features/views/views.service.ts'
import { workspaceContents } from '../../features/workspaces/workspaces.contents.store.ts'
import { createWorkspacesService } from '../../features/workspaces/workspaces.service.ts'
import { removeMembershipsIn } from '../../resources/memberships.ts'
import { composeBackups } from '../backups.ts'
import type { Base } from '../base.ts'
import type { ComposeDeps } from '../deps.ts'

export type Management = Awaited<ReturnType<typeof composeManagement>>

/** Creates the services of workspaces, clients, the audit log and backups. */
export async function composeManagement(
  config: Config,
  deps: ComposeDeps,
  { foundation, live, liveAccess }: Base,
) {
  const { newId } = deps
  const { db, history, chain, share } = foundation
  const contents = [promptContents, ...workspaceContents]
  return {
    workspaces: createWorkspacesService({
      db,
      history,
      newId,
      contents,
      async onDeleted(tx, workspaceId) {
        const tokenIds = await deleteTokensIn(tx.q, workspaceId)
        const owners = await removeMembershipsIn(tx.q, workspaceId)
        tx.afterCommit(() => {
          for (const tokenId of tokenIds) liveAccess.recheck({ tokenId })
          for (const userId of owners) liveAccess.recheck({ userId })
        })
        return tokenIds.length
      },
    }),
    clients: createClientsService({
      db,
      history,
      hub: live.live,
      servedVersions: (place) => servedVersionsOf(db.read, place),
    }),
    audit: createAuditService({ db, history, chain, share }),
    views: createViewsService({ db, history, newId }),
    backups: await composeBackups(config, deps, foundation),
  }
}
