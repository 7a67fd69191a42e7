import type { DefaultCredentials } from '../../auth/defaults.ts'
import type { LiveAccess } from '../../auth/identity/identity.ts'
import type { Cluster, RemoteChange } from '../../cluster/cluster.ts'
import type { ProvidersService } from '../../features/providers/providers.service.ts'
import type { SettingsService } from '../../features/settings/settings.service.ts'
import type { Hub } from '../../live/hub.ts'
import type { DeletionClock } from '../../retention/deletion-clock.ts'

type Receivers = {
  readonly liveAccess: Pick<LiveAccess, 'recheck'>
  readonly settings: Pick<SettingsService, 'reload'>
  readonly defaults: Pick<DefaultCredentials, 'refresh'>
  readonly providers: Pick<ProvidersService, 'reload'>
  readonly hub: Pick<Hub, 'disconnect'>
  readonly deletion: Pick<DeletionClock, 'reload'>
}

/** Updates the in-memory state of this instance when another instance makes a change. */
export function applyRemoteChanges(cluster: Cluster, receivers: Receivers): void {
  cluster.onChange((change) => apply(receivers, change))
}

async function apply(receivers: Receivers, change: RemoteChange): Promise<void> {
  const { liveAccess, settings, defaults, providers, hub, deletion } = receivers
  const { entity, id } = change
  switch (entity) {
    case 'setting':
      await settings.reload()
      if (id === null || id === 'deletion') await deletion.reload()
      liveAccess.recheck({ tokenKind: 'service_token' })
      return
    case 'provider':
      // An admin's change of a provider can change its prices, which are settings.
      await settings.reload()
      await providers.reload()
      return
    case 'user':
      await defaults.refresh()
      recheckUsers(liveAccess, change)
      return
    case 'session':
      recheckUsers(liveAccess, change)
      return
    case 'token':
      liveAccess.recheck(id === null ? {} : { tokenId: id })
      return
    // Memberships of users and tokens end with a workspace. A device has tokens and sessions.
    case 'workspace':
    case 'device':
      liveAccess.recheck({})
      return
    case 'client':
      if (id !== null) hub.disconnect(id)
      return
    default:
  }
}

/** Checks the access of the users that the change is about; of everybody if it names none. */
function recheckUsers(liveAccess: Pick<LiveAccess, 'recheck'>, { userIds }: RemoteChange): void {
  if (userIds.length === 0) liveAccess.recheck({})
  for (const userId of userIds) liveAccess.recheck({ userId })
}
