import { revokeDesktopsOf } from '../../../auth/devices/revoke.ts'
import type { LiveAccess } from '../../../auth/identity/identity.ts'
import { deleteSessionsOf } from '../../../auth/sessions/sessions.store.ts'
import type { Db, Tx } from '../../../db/types.ts'
import type { History } from '../../../history/history.ts'
import type { Context } from '../../../lib/context.ts'
import type { Account } from '../accounts.store.ts'
import { requireManaged } from '../managed-account.ts'
import { deletePasskeysOf } from '../passkeys/passkeys.store.ts'
import { deleteSecondFactor } from './second-factor.store.ts'

export type ResetDeps = {
  readonly db: Db
  readonly history: History
  readonly liveAccess: LiveAccess
  readonly mayTokensCreateAdmins: () => boolean
}

/** Removes the second factor and the passkeys of a user who lost them, and ends the sessions. For admins. */
export function createReset(deps: ResetDeps) {
  return async (ctx: Context, userId: string) => {
    const removed = await deps.db.write(
      async (tx) => {
        const account = await requireManaged(tx.q, ctx, userId, deps.mayTokensCreateAdmins())
        return removeFactors(deps, tx, ctx, account)
      },
      { evenWhenFull: true },
    )
    deps.liveAccess.recheck({ userId })
    return { ok: true as const, ...removed }
  }
}

/** Removes all factors but the password, and revokes the desktop apps. Without any, only the sessions end. */
export async function removeFactors(
  deps: Pick<ResetDeps, 'history'> & Partial<Pick<ResetDeps, 'liveAccess'>>,
  tx: Tx,
  ctx: Context,
  { id, username }: Pick<Account, 'id' | 'username'>,
) {
  const hadCodes = await deleteSecondFactor(tx.q, id)
  const passkeys = await deletePasskeysOf(tx.q, id)
  const sessions = await deleteSessionsOf(tx.q, id)
  await revokeDesktopsOf(deps, tx, ctx, id, 'the second factor of its user was reset')
  await deps.history.record(tx, ctx, {
    action: 'delete',
    resource: 'second_factor',
    resourceId: id,
    userId: id,
    key: username,
    summary: `Reset the second factor of ${username}; passkeys removed: ${passkeys}, sessions ended: ${sessions}`,
    before: { second_factor: hadCodes, passkeys },
    after: { second_factor: false, passkeys: 0 },
    changed: 'user',
    alsoChanged: 'session',
  })
  return { passkeys_removed: passkeys, sessions_ended: sessions }
}
