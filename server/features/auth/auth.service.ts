import type { z } from 'zod'
import type { LoginBody, LoginReply, Me } from '../../../contract/auth.ts'
import { type Permission, permissionsOf, type Role, roles } from '../../../contract/roles.ts'
import type { ApiTokens } from '../../auth/api-tokens.ts'
import { serviceIdentity } from '../../auth/authenticator.ts'
import type { DefaultCredentials } from '../../auth/defaults.ts'
import { findSession, findUser } from '../../auth/identity.store.ts'
import type { LiveAccess } from '../../auth/identity.ts'
import type { Passwords } from '../../auth/passwords.ts'
import type { ServiceToken } from '../../auth/service-token.ts'
import type { SessionActivity } from '../../auth/session-activity.ts'
import {
  absoluteMs,
  deleteOldestSessions,
  deleteReplacedSessions,
  deleteSession,
  idleMs,
  insertSession,
} from '../../auth/sessions.store.ts'
import type { Throttle } from '../../auth/throttle.ts'
import type { Tokens } from '../../auth/tokens.ts'
import type { Db } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Actor, Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { type Account, findAccount, findAccountByName, storeLastLogin } from './accounts.store.ts'
import type { FailedSignIns } from './failed-sign-ins.ts'

export type AuthDeps = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  readonly passwords: Passwords
  readonly tokens: Tokens
  readonly throttle: Throttle
  readonly serviceToken: ServiceToken
  readonly apiTokens: Pick<ApiTokens, 'identify'>
  readonly activity: SessionActivity
  readonly liveAccess: LiveAccess
  readonly defaults: DefaultCredentials
  readonly failedSignIns: FailedSignIns
  readonly permissionOverrides: () => Partial<Record<Permission, Role>>
}

type Login = z.output<typeof LoginReply>
/**
 * Limit of sessions per user, far above what a person needs. The oldest are ended, so that a script cannot
 * fill the store.
 */
const maxSessionsPerUser = 100

export type AuthService = ReturnType<typeof createAuthService>

export function createAuthService(deps: AuthDeps) {
  const { db, history, newId, passwords, tokens, throttle, activity, liveAccess, failedSignIns } = deps

  /**
   * Returns the account for a name and password, or null. The time and the reply are the same in all failed
   * cases.
   */
  const verify = async (ctx: Context, username: string, password: string): Promise<Account | null> => {
    const account = await findAccountByName(db.read, username)
    const isRight = await passwords.matches(password, account?.password_hash ?? null)
    if (account && isRight && account.disabled === 0) return account
    await failedSignIns.note(ctx, account?.username ?? null)
    return null
  }

  const openSession = (ctx: Context, verified: Account) =>
    db.write(
      async (tx) => {
        const account = await findAccount(tx.q, verified.id)
        // The account was disabled, deleted or given another password during the password check.
        if (!account || account.disabled === 1 || account.password_hash !== verified.password_hash)
          return null
        const nowMs = ctx.now.getTime()
        const session = {
          id: newId(),
          user_id: account.id,
          created_at: nowMs,
          last_seen_at: nowMs,
          expires_at: nowMs + absoluteMs,
          ip: ctx.ip,
          user_agent: ctx.userAgent,
        }
        await deleteOldestSessions(tx.q, account.id, maxSessionsPerUser - 1)
        await insertSession(tx.q, session)
        await storeLastLogin(tx.q, account.id, nowMs)
        const actor: Actor = {
          kind: 'user',
          id: account.id,
          name: account.username,
          role: account.role,
          sessionId: session.id,
        }
        await history.record(tx, ctx, {
          action: 'login',
          resource: 'session',
          resourceId: session.id,
          userId: account.id,
          key: account.username,
          summary: `${account.username} signed in`,
          actor,
        })
        return { account, session }
      },
      { evenWhenFull: true },
    )

  const withPassword = async (ctx: Context, username: string, password: string): Promise<Login> => {
    const verified = await throttle.attempt(username, ctx.ip, () => verify(ctx, username, password))
    const opened = verified && (await openSession(ctx, verified))
    if (!opened) throw fail('auth.invalid_credentials')
    const { account, session } = opened
    const token = tokens.issue({
      id: session.id,
      userId: account.id,
      createdAtMs: session.created_at,
      expiresAtMs: session.expires_at,
    })
    return {
      ok: true,
      token,
      token_type: 'Bearer',
      expires_at: new Date(Math.min(session.expires_at, session.last_seen_at + idleMs)).toISOString(),
      username: account.username,
      role: account.role,
      must_change_password: account.must_change_password === 1,
    }
  }

  const withToken = async (ctx: Context, token: string): Promise<Login> => {
    const identity = await throttle.attempt('token', ctx.ip, async () => {
      const known = deps.serviceToken.matches(token)
        ? serviceIdentity
        : await deps.apiTokens.identify(token, ctx.now)
      if (known !== null) return known
      await failedSignIns.note(ctx, null)
      return null
    })
    if (!identity) throw fail('auth.invalid_token', { detail: 'That token is not accepted.' })
    await db.write(
      (tx) =>
        history.record(tx, ctx, {
          action: 'login',
          resource: 'session',
          resourceId: identity.actor.id,
          key: identity.actor.name,
          summary: `${identity.actor.name} signed in`,
          actor: identity.actor,
        }),
      { evenWhenFull: true },
    )
    return {
      ok: true,
      token,
      token_type: 'Bearer',
      expires_at: identity.expiresAt?.toISOString() ?? null,
      username: identity.actor.name,
      role: identity.actor.role ?? roles[0],
      must_change_password: false,
    }
  }

  return {
    login(ctx: Context, body: z.output<typeof LoginBody>): Promise<Login> {
      const { username = '', password = '', token } = body
      return token === undefined ? withPassword(ctx, username, password) : withToken(ctx, token)
    },

    /** Ends the session at once. A token without a session has nothing to end. */
    async logout(ctx: Context): Promise<{ ok: true }> {
      const { id, name, sessionId } = ctx.actor
      if (id === null || sessionId === null) return { ok: true }
      await db.write(
        async (tx) => {
          if (!(await deleteSession(tx.q, sessionId, id))) return
          await deleteReplacedSessions(tx.q, id)
          await history.record(tx, ctx, {
            action: 'logout',
            resource: 'session',
            resourceId: sessionId,
            userId: id,
            key: name,
            summary: `${name} signed out`,
          })
        },
        { evenWhenFull: true },
      )
      liveAccess.recheck({ userId: id })
      return { ok: true }
    },

    async me(ctx: Context): Promise<Me> {
      const { id, name, sessionId, kind } = ctx.actor
      const role = ctx.actor.role ?? roles[0]
      const session = sessionId === null ? undefined : await findSession(db.read, sessionId)
      const user = id === null ? undefined : await findUser(db.read, id)
      return {
        id,
        username: name,
        role,
        permissions: permissionsOf(role, deps.permissionOverrides()),
        auth: kind === 'user' ? 'session' : kind === 'api_token' ? 'api_token' : 'service_token',
        must_change_password: user?.must_change_password === 1,
        expires_at: session ? new Date(activity.endsAtMs(session)).toISOString() : null,
        defaults: { ...deps.defaults.inForce() },
      }
    },
  }
}
