import { randomBytes } from 'node:crypto'
import { revokeDesktopsOf } from '../../auth/devices/revoke.ts'
import { endPasswordLinks } from '../../auth/password-links.store.ts'
import type { Passwords } from '../../auth/passwords/passwords.ts'
import { deleteSessionsOf } from '../../auth/sessions/sessions.store.ts'
import type { Db, Query } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import { type Account, findAccountByName, storeTemporaryPassword } from './accounts.store.ts'
import { removeFactors } from './second-factor/reset.ts'

export type RecoveryDeps = {
  readonly db: Db
  readonly history: History
  readonly passwords: Pick<Passwords, 'hash'>
}

export type Recovery = { readonly password: boolean; readonly secondFactor: boolean }

export const noSuchUser = (username: string) => fail('not_found', { detail: `There is no user ${username}.` })

/** Returns the names of the admins who can sign in. */
export async function activeAdmins(q: Query): Promise<string[]> {
  const rows = await q
    .selectFrom('users')
    .select('username')
    .where('role', '=', 'admin')
    .where('disabled', '=', 0)
    .orderBy('username_folded')
    .execute()
  return rows.map((row) => row.username)
}

/**
 * Restores access to an account, for people with access to the machine of the service. `password` sets a temporary
 * password and enables the account; `secondFactor` removes the second factor and the passkeys. Both end the sessions.
 * Returns the temporary password; null if the password does not change. Throws 404 for an unknown user.
 */
export async function recoverAccount(
  deps: RecoveryDeps,
  ctx: Context,
  username: string,
  recovery: Recovery,
): Promise<{ username: string; password: string | null }> {
  const { db, history, passwords } = deps
  const password = recovery.password ? randomBytes(15).toString('base64url') : null
  const hash = password === null ? null : await passwords.hash(password)
  const name = await db.write(
    async (tx) => {
      const account = await findAccountByName(tx.q, username)
      if (!account) throw noSuchUser(username)
      if (recovery.secondFactor) await removeFactors({ history }, tx, ctx, account)
      if (hash !== null) {
        await storeTemporaryPassword(tx.q, account.id, hash, ctx.now.getTime())
        await endPasswordLinks(tx.q, account.id)
        const ended = await deleteSessionsOf(tx.q, account.id)
        await revokeDesktopsOf({ history }, tx, ctx, account.id)
        await history.record(tx, ctx, passwordEvent(account, ended))
      }
      return account.username
    },
    { evenWhenFull: true },
  )
  return { username: name, password }
}

const passwordEvent = (account: Account, ended: number) =>
  ({
    action: 'password_change',
    resource: 'user',
    resourceId: account.id,
    key: account.username,
    summary: `Recovered ${account.username} on this machine with a temporary password; sessions ended: ${ended}`,
    before: {
      must_change_password: account.must_change_password === 1,
      disabled: account.disabled === 1,
    },
    after: { must_change_password: true, disabled: false },
  }) as const
