import type { z } from 'zod'
import type { LoginReply } from '../../../contract/accounts/auth.ts'
import { roles } from '../../../contract/common/roles.ts'
import { serviceIdentity } from '../../auth/authenticator.ts'
import type { Identity } from '../../auth/identity/identity.ts'
import type { Passwords } from '../../auth/passwords/passwords.ts'
import { deleteOldestSessions, idleMs, insertSession } from '../../auth/sessions/sessions.store.ts'
import type { Throttle } from '../../auth/throttle.ts'
import type { ApiTokens } from '../../auth/tokens/api-tokens.ts'
import type { ServiceToken } from '../../auth/tokens/service-token.ts'
import type { Tokens } from '../../auth/tokens/tokens.ts'
import type { Db } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { type Account, findAccount, findAccountByName, storeLastLogin } from './accounts.store.ts'
import type { FailedSignIns } from './failed-sign-ins.ts'
import { newSession, tokenOf } from './new-session.ts'

export type SignInDeps = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  readonly passwords: Passwords
  readonly tokens: Tokens
  readonly throttle: Throttle
  readonly serviceToken: ServiceToken
  readonly apiTokens: Pick<ApiTokens, 'identify'>
  readonly failedSignIns: FailedSignIns
}

export type Login = z.output<typeof LoginReply>
/**
 * Limit of sessions per user, far above what a person needs. The oldest are ended, so that a script cannot
 * fill the store.
 */
const maxSessionsPerUser = 100

/** Signs a user in. Throws 401, or 429 after too many failures. */
export async function signInWithPassword(
  deps: SignInDeps,
  ctx: Context,
  username: string,
  password: string,
): Promise<Login> {
  const { tokens, throttle } = deps
  const verified = await throttle.attempt(username, ctx.ip, () =>
    verifyPassword(deps, ctx, username, password),
  )
  const opened = verified && (await openSession(deps, ctx, verified))
  if (!opened) throw fail('auth.invalid_credentials')
  const { account, session } = opened
  return {
    ok: true,
    token: tokenOf(tokens, session),
    token_type: 'Bearer',
    expires_at: new Date(Math.min(session.expires_at, session.last_seen_at + idleMs)).toISOString(),
    username: account.username,
    role: account.role,
    must_change_password: account.must_change_password === 1,
  }
}

/**
 * Returns the account for a name and password, or null. The time and the reply are the same in all failed
 * cases.
 */
async function verifyPassword(
  { db, passwords, failedSignIns }: SignInDeps,
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

function openSession({ db, history, newId }: SignInDeps, ctx: Context, verified: Account) {
  return db.write(
    async (tx) => {
      const account = await findAccount(tx.q, verified.id)
      // The account was disabled, deleted or given another password during the password check.
      if (!account || account.disabled === 1 || account.password_hash !== verified.password_hash) return null
      const session = newSession(ctx, newId(), account.id)
      await deleteOldestSessions(tx.q, account.id, maxSessionsPerUser - 1)
      await insertSession(tx.q, session)
      await storeLastLogin(tx.q, account.id, session.created_at)
      await history.record(tx, ctx, {
        action: 'login',
        resource: 'session',
        resourceId: session.id,
        userId: account.id,
        key: account.username,
        summary: `${account.username} signed in`,
        actor: {
          kind: 'user',
          id: account.id,
          name: account.username,
          role: account.role,
          sessionId: session.id,
        },
      })
      return { account, session }
    },
    { evenWhenFull: true },
  )
}

/** Verifies an API token or the service token, which the caller then uses without a session. */
export async function signInWithToken(deps: SignInDeps, ctx: Context, token: string): Promise<Login> {
  const { db, history, throttle } = deps
  const identity = await throttle.attempt('token', ctx.ip, () => verifyToken(deps, ctx, token))
  if (!identity) throw fail('auth.invalid_token', { detail: 'That token is not accepted.' })
  const { actor, expiresAt } = identity
  await db.write(
    (tx) =>
      history.record(tx, ctx, {
        action: 'login',
        resource: 'session',
        resourceId: actor.id,
        key: actor.name,
        summary: `${actor.name} signed in`,
        actor,
      }),
    { evenWhenFull: true },
  )
  return {
    ok: true,
    token,
    token_type: 'Bearer',
    expires_at: expiresAt?.toISOString() ?? null,
    username: actor.name,
    role: actor.role ?? roles[0],
    must_change_password: false,
  }
}

async function verifyToken(
  { serviceToken, apiTokens, failedSignIns }: SignInDeps,
  ctx: Context,
  token: string,
): Promise<Identity | null> {
  const identity = serviceToken.matches(token) ? serviceIdentity : await apiTokens.identify(token, ctx.now)
  if (identity === null) await failedSignIns.record(ctx, null)
  return identity
}
