import type { z } from 'zod'
import type { ChangePasswordReply } from '../../../contract/accounts/auth.ts'
import type { Session } from '../../../contract/accounts/session.ts'
import type { DefaultCredentials } from '../../auth/defaults.ts'
import { findSession } from '../../auth/identity/identity.store.ts'
import type { LiveAccess } from '../../auth/identity/identity.ts'
import { endPasswordLinks } from '../../auth/password-links.store.ts'
import { requireStrongPassword } from '../../auth/passwords/password-policy.ts'
import type { Passwords } from '../../auth/passwords/passwords.ts'
import type { SessionActivity } from '../../auth/sessions/session-activity.ts'
import {
  absoluteMs,
  deleteReplacedSessions,
  deleteSession,
  deleteSessionsOf,
  idleMs,
  insertSession,
  isReplaced,
  openSessionsOf,
  replaceSession,
} from '../../auth/sessions/sessions.store.ts'
import type { Throttle } from '../../auth/throttle.ts'
import type { Tokens } from '../../auth/tokens/tokens.ts'
import type { SessionsTable } from '../../db/schema/schema.ts'
import type { Db } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { type Account, storeChosenPassword } from './accounts.store.ts'
import { newSession, tokenOf } from './new-session.ts'
import { requireUnchanged, type SignedIn, signedInUser, verifyCurrentPassword } from './signed-in.ts'

export type AccountDeps = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  readonly tokens: Tokens
  readonly passwords: Passwords
  readonly throttle: Throttle
  readonly activity: SessionActivity
  readonly liveAccess: LiveAccess
  readonly defaults: DefaultCredentials
}

type ChangePasswordBody = { readonly current_password: string; readonly new_password: string }
export type AccountService = ReturnType<typeof createAccountService>

/** Manages the password and the sessions of the signed-in user. */
export function createAccountService(deps: AccountDeps) {
  return {
    changePassword: (ctx: Context, body: ChangePasswordBody) => changePassword(deps, ctx, body),
    sessions: (ctx: Context) => sessions(deps, ctx),
    revokeSession: (ctx: Context, id: string) => revokeSession(deps, ctx, id),
  }
}

/**
 * Changes the password. All other sessions end, and a new session replaces that of the request, which stays
 * valid for a short time. Also works in a full store, like sign-in.
 */
async function changePassword(
  deps: AccountDeps,
  ctx: Context,
  body: ChangePasswordBody,
): Promise<z.output<typeof ChangePasswordReply>> {
  const { newId, tokens, passwords, liveAccess, defaults } = deps
  const user = signedInUser(ctx)
  const verified = await verifyCurrentPassword(deps, ctx, user, body.current_password)
  await requireStrongPassword('new_password', body.new_password, verified.username, passwords.isCommon)
  const hash = await passwords.hash(body.new_password)
  const current = await findSession(deps.db.read, user.sessionId)
  const session = newSession(ctx, newId(), user.userId, {
    method: current?.method ?? 'password',
    deviceId: current?.device_id ?? null,
  })
  await storeNewPassword(deps, ctx, { user, verified, hash, session })
  const token = tokenOf(tokens, session)
  liveAccess.move(user.sessionId, token)
  liveAccess.recheck({ userId: user.userId })
  await defaults.refresh()
  const expiresAt = new Date(session.created_at + Math.min(absoluteMs, idleMs))
  return { ok: true, token, expires_at: expiresAt.toISOString() }
}

function storeNewPassword(
  { db, history }: AccountDeps,
  ctx: Context,
  change: {
    readonly user: SignedIn
    readonly verified: Account
    readonly hash: string
    readonly session: SessionsTable
  },
): Promise<void> {
  const { user, verified, hash, session } = change
  const { userId, sessionId } = user
  const nowMs = ctx.now.getTime()
  return db.write(
    async (tx) => {
      const account = await requireUnchanged(tx.q, user, verified)
      await storeChosenPassword(tx.q, userId, hash, nowMs)
      await endPasswordLinks(tx.q, userId)
      const ended = await deleteSessionsOf(tx.q, userId, sessionId)
      await replaceSession(tx.q, sessionId, nowMs)
      await insertSession(tx.q, session)
      await history.record(tx, ctx, {
        action: 'password_change',
        resource: 'user',
        resourceId: userId,
        key: account.username,
        summary: `${account.username} chose a new password${ended > 0 ? `; other sessions ended: ${ended}` : ''}`,
        before: { must_change_password: account.must_change_password === 1 },
        after: { must_change_password: false },
      })
    },
    { evenWhenFull: true },
  )
}

async function sessions(
  { db, activity }: AccountDeps,
  ctx: Context,
): Promise<{ data: Session[]; total: number; next_cursor: null }> {
  const { userId, sessionId } = signedInUser(ctx)
  const nowMs = ctx.now.getTime()
  const rows = await openSessionsOf(db.read, userId, nowMs)
  const data = rows
    .filter((row) => activity.endsAtMs(row) > nowMs && (row.id === sessionId || !isReplaced(row)))
    .map((row) => activity.toWire(row, sessionId))
  return { data, total: data.length, next_cursor: null }
}

async function revokeSession(
  { db, history, liveAccess }: AccountDeps,
  ctx: Context,
  id: string,
): Promise<{ ok: true }> {
  const { userId, name } = signedInUser(ctx)
  await db.write(
    async (tx) => {
      if (!(await deleteSession(tx.q, id, userId))) {
        throw fail('not_found', { detail: 'Session not found.' })
      }
      await deleteReplacedSessions(tx.q, userId)
      await history.record(tx, ctx, {
        action: 'revoke',
        resource: 'session',
        resourceId: id,
        userId,
        key: name,
        summary: `${name} ended one of their sessions`,
      })
    },
    { evenWhenFull: true },
  )
  liveAccess.recheck({ userId })
  return { ok: true }
}
