import { findSession } from '../../auth/identity/identity.store.ts'
import type { Passwords } from '../../auth/passwords/passwords.ts'
import { passwordOf, type Throttle } from '../../auth/throttle.ts'
import type { Db, Query } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import { type Account, findAccount } from './accounts.store.ts'

export type SignedIn = { readonly userId: string; readonly sessionId: string; readonly name: string }

/** Returns the signed-in user. The endpoints are `sessionOnly`, so this check only narrows the type. */
export function signedInUser(ctx: Context): SignedIn {
  const { id, sessionId, name } = ctx.actor
  if (id === null || sessionId === null) throw fail('auth.forbidden')
  return { userId: id, sessionId, name }
}

export type CurrentPasswordDeps = {
  readonly db: Db
  readonly passwords: Passwords
  readonly throttle: Throttle
}

/** Returns the account of the user. Throws 401 for a wrong password, 429 after too many. */
export async function verifyCurrentPassword(
  { db, passwords, throttle }: CurrentPasswordDeps,
  ctx: Context,
  { userId, name }: SignedIn,
  password: string,
): Promise<Account> {
  const verified = await throttle.attempt(passwordOf(name), ctx.ip, async () => {
    const account = await findAccount(db.read, userId)
    const isRight = await passwords.matches(password, account?.password_hash ?? null)
    return account && isRight ? account : null
  })
  if (verified) return verified
  const message = 'This is not your current password'
  throw fail('auth.invalid_credentials', {
    detail: `${message}.`,
    errors: [{ path: 'current_password', message }],
  })
}

const sessionEnded = () => fail('auth.invalid_token', { detail: 'The session has ended. Sign in again.' })

/**
 * Throws if the session was ended while its request was handled. Call it inside the transaction of a change of how the
 * user signs in.
 */
export async function requireSession(q: Query, { sessionId }: SignedIn): Promise<void> {
  if ((await findSession(q, sessionId)) === undefined) throw sessionEnded()
}

/**
 * Like `requireSession`, and returns the account. Throws unless it is as it was when its password was verified, because
 * meanwhile an admin may have reset the password or disabled the user.
 */
export async function requireUnchanged(q: Query, user: SignedIn, verified: Account): Promise<Account> {
  await requireSession(q, user)
  const account = await findAccount(q, user.userId)
  if (!account || account.disabled === 1 || account.password_hash !== verified.password_hash)
    throw sessionEnded()
  return account
}
