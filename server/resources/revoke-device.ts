import type { DeviceRow } from '../auth/devices/devices.store.ts'
import type { LiveAccess } from '../auth/identity/identity.ts'
import { deleteSessionsOnDevices } from '../auth/sessions/sessions.store.ts'
import type { Tx } from '../db/types.ts'
import type { History } from '../history/history.ts'
import type { Context } from '../lib/context.ts'

type RevokeDeps = {
  readonly history: Pick<History, 'record'>
  /** Missing where the service does not run. */
  readonly liveAccess?: Pick<LiveAccess, 'recheck'>
}

/** Deletes a device and its sessions, and checks the connections of their users. */
export async function revokeDevice(
  { history, liveAccess }: RevokeDeps,
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

/** Revokes the desktop apps of a user whose password is reset: their tokens open sessions without the password. */
export async function revokeDesktopsOf(
  deps: RevokeDeps,
  tx: Tx,
  ctx: Context,
  userId: string,
): Promise<void> {
  const desktops = await tx.q
    .selectFrom('devices')
    .selectAll()
    .where('user_id', '=', userId)
    .where('kind', '=', 'desktop')
    .orderBy('id')
    .execute()
  for (const device of desktops)
    await revokeDevice(deps, tx, ctx, device, ', because the password of its user was reset')
}
