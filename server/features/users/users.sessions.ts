import { revokeDesktopsOf } from '../../auth/devices/revoke.ts'
import type { LiveAccess } from '../../auth/identity/identity.ts'
import type { SessionActivity } from '../../auth/sessions/session-activity.ts'
import {
  deleteReplacedSessions,
  deleteSession,
  deleteSessionsOf,
  openSessionsOf,
} from '../../auth/sessions/sessions.store.ts'
import type { Db } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import { requireUser } from './users.policy.ts'

export type UserSessionsDeps = {
  readonly db: Db
  readonly history: History
  readonly activity: SessionActivity
  readonly liveAccess: LiveAccess
}

/** Lists the open sessions of a user. */
export async function sessions({ db, activity }: UserSessionsDeps, ctx: Context, id: string) {
  await requireUser(db.read, id)
  const nowMs = ctx.now.getTime()
  const rows = await openSessionsOf(db.read, id, nowMs)
  const open = rows.filter((row) => activity.endsAtMs(row) > nowMs)
  const data = open.map((row) => activity.toWire(row, ctx.actor.sessionId))
  return { data, total: data.length, next_cursor: null }
}

/** Ends one session of a user. */
export async function revokeSession(
  { db, history, liveAccess }: UserSessionsDeps,
  ctx: Context,
  id: string,
  sessionId: string,
): Promise<{ ok: true }> {
  await db.write(
    async (tx) => {
      const row = await requireUser(tx.q, id)
      if (!(await deleteSession(tx.q, sessionId, id))) {
        throw fail('not_found', { detail: `Session of ${row.username} not found.` })
      }
      await deleteReplacedSessions(tx.q, id)
      await history.record(tx, ctx, {
        action: 'revoke',
        resource: 'session',
        resourceId: sessionId,
        userId: id,
        key: row.username,
        summary: `Ended a session of ${row.username}`,
      })
    },
    { evenWhenFull: true },
  )
  liveAccess.recheck({ userId: id })
  return { ok: true }
}

/**
 * Ends all sessions of a user, and revokes the desktop apps, which would open new ones. Returns the number of
 * sessions.
 */
export async function revokeSessions(
  deps: UserSessionsDeps,
  ctx: Context,
  id: string,
): Promise<{ ok: true; revoked: number }> {
  const { db, history, liveAccess } = deps
  const revoked = await db.write(
    async (tx) => {
      const row = await requireUser(tx.q, id)
      const ended = await deleteSessionsOf(tx.q, id)
      await revokeDesktopsOf(deps, tx, ctx, id, 'all sessions of its user were ended')
      if (ended === 0) return 0
      await history.record(tx, ctx, {
        action: 'revoke',
        resource: 'user',
        resourceId: id,
        key: row.username,
        summary: `Ended every session of ${row.username} (${ended})`,
        changed: 'session',
      })
      return ended
    },
    { evenWhenFull: true },
  )
  liveAccess.recheck({ userId: id })
  return { ok: true, revoked }
}
