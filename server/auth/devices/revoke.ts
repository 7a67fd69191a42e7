import type { Tx } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import type { LiveAccess } from '../identity/identity.ts'
import { deleteSessionsOnDevices } from '../sessions/sessions.store.ts'
import type { DeviceRow } from './devices.store.ts'

/** Without `liveAccess` where the service does not run. */
type Deps = { readonly history: History; readonly liveAccess?: LiveAccess }

/** Deletes a device and its sessions. `note` ends the audit summary. */
export async function revokeDevice(
  { history, liveAccess }: Deps,
  tx: Tx,
  ctx: Context,
  { id, name, kind, user_id, token_id }: DeviceRow,
  note: string,
): Promise<void> {
  const userIds = await deleteSessionsOnDevices(tx.q, 'id', id)
  tx.afterCommit(() => {
    for (const userId of userIds) liveAccess?.recheck({ userId })
  })
  await tx.q.deleteFrom('devices').where('id', '=', id).execute()
  await history.record(tx, ctx, {
    action: 'revoke',
    resource: 'device',
    resourceId: id,
    ...(user_id !== null && { userId: user_id }),
    key: name,
    summary: `Revoked the device ${name} (${kind})${note}`,
    before: { name, kind, user_id, token_id },
    alsoChanged: token_id === null ? 'session' : 'token',
  })
}

/**
 * Revokes the desktop apps of a user, whose tokens open sessions without a password. `reason` ends the audit
 * summaries.
 */
export async function revokeDesktopsOf(
  deps: Deps,
  tx: Tx,
  ctx: Context,
  userId: string,
  reason = 'the password of its user was reset',
): Promise<void> {
  const owned = tx.q.selectFrom('devices').selectAll().where('user_id', '=', userId)
  for (const device of await owned.where('kind', '=', 'desktop').execute())
    await revokeDevice(deps, tx, ctx, device, `; ${reason}`)
}
