import type { Challenges } from '../../auth/challenges.ts'
import type { Passwords } from '../../auth/passwords/passwords.ts'
import { passwordOf, type Throttle } from '../../auth/throttle.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import { type Account, findAccountByName } from './accounts.store.ts'
import type { FailedSignIns } from './failed-sign-ins.ts'
import { type Login, type OpenSessionDeps, openSession } from './open-session.ts'

/** A sign-in whose password was correct and whose code is missing. */
export type PendingSignIn = {
  readonly account: Account
  /** Wrong codes so far. */
  readonly failures: number
}

export type PasswordSignInDeps = OpenSessionDeps & {
  readonly passwords: Passwords
  readonly throttle: Throttle
  readonly failedSignIns: FailedSignIns
  readonly pendingSignIns: Challenges<PendingSignIn>
}

/**
 * Signs a user in. Throws 401, or 429 after too many failures. For a user with a second factor it throws a 401
 * with a challenge, for `signInWithCode`.
 */
export async function signInWithPassword(
  deps: PasswordSignInDeps,
  ctx: Context,
  username: string,
  password: string,
): Promise<Login> {
  const account = await verifyCredentials(deps, ctx, username, password)
  if (account.second_factor === 1) {
    const { challenge, expiresAt } = await deps.pendingSignIns.issue(account.id, {
      account,
      failures: 0,
    })
    throw fail('auth.second_factor_required', {
      detail: 'Enter a code from your authenticator app, or a recovery code.',
      challenge: { value: challenge, expiresAt },
    })
  }
  const login = await openSession(deps, ctx, { account, method: 'password' })
  if (login === null) throw fail('auth.invalid_credentials')
  return login
}

/**
 * Returns the active user with this name and password, without the second factor. Throws 401, or 429 after too
 * many failures.
 */
export async function verifyCredentials(
  deps: Pick<PasswordSignInDeps, 'db' | 'passwords' | 'throttle' | 'failedSignIns'>,
  ctx: Context,
  username: string,
  password: string,
): Promise<Account> {
  const account = await deps.throttle.attempt(passwordOf(username), ctx.ip, () =>
    verifyPassword(deps, ctx, username, password),
  )
  if (account === null) throw fail('auth.invalid_credentials')
  return account
}

/**
 * Returns the account for a name and password, or null. The time and the reply are the same in all failed
 * cases.
 */
async function verifyPassword(
  { db, passwords, failedSignIns }: Pick<PasswordSignInDeps, 'db' | 'passwords' | 'failedSignIns'>,
  ctx: Context,
  username: string,
  password: string,
): Promise<Account | null> {
  const account = await findAccountByName(db.read, username)
  const isRight = await passwords.matches(password, account?.password_hash ?? null)
  if (account && isRight && account.disabled === 0) return account
  await failedSignIns.record(ctx, account?.username ?? null)
  return null
}
