import type { Logger } from 'pino'
import type { Session } from '../../../contract/accounts/session.ts'
import type { SessionsTable } from '../../db/schema/schema.ts'
import type { Db } from '../../db/types.ts'
import { minuteMs } from '../../lib/durations.ts'
import type { DeletionClock } from '../../retention/deletion-clock.ts'
import type { LiveAccess } from '../identity/identity.ts'
import {
  deleteSessionsById,
  endedSessions,
  idleMs,
  type ListedSession,
  storeLastSeen,
} from './sessions.store.ts'

type SessionTimes = Pick<SessionsTable, 'id' | 'last_seen_at' | 'expires_at'>

/** Tracks the last use of sessions in memory, and deletes ended sessions. */
export type SessionActivity = {
  touch(sessionId: string, now: Date): void
  lastSeenMs(session: SessionTimes): number
  /** Returns when the session ends if it is not used again: the earlier of its idle and absolute limits. */
  endsAtMs(session: SessionTimes): number
  toWire(session: ListedSession, currentId: string | null): Session
  /** Writes last-seen times from memory to the store. */
  flush(): Promise<void>
  /** Deletes ended sessions in small transactions. Returns their number. */
  sweep(): Promise<number>
  close(): Promise<void>
}

export type SessionActivityDeps = {
  readonly db: Db
  readonly deletion: Pick<DeletionClock, 'now'>
  readonly liveAccess: LiveAccess
  readonly logger: Logger
  /**
   * Interval of writing last-seen times and deleting ended sessions, in milliseconds. Authentication itself
   * never writes to the store.
   */
  readonly intervalMs?: number
}

const sweepBatch = 200

export function createSessionActivity({
  db,
  deletion,
  liveAccess,
  logger,
  intervalMs = minuteMs,
}: SessionActivityDeps): SessionActivity {
  /** Last-seen times that are not stored yet, in milliseconds by session id. */
  const seen = new Map<string, number>()

  const lastSeenMs = (session: SessionTimes) => Math.max(session.last_seen_at, seen.get(session.id) ?? 0)
  const endsAtMs = (session: SessionTimes) => Math.min(session.expires_at, lastSeenMs(session) + idleMs)

  const flush = async () => {
    if (seen.size === 0) return
    const written = [...seen]
    await db.write(({ q }) => storeLastSeen(q, written), { evenWhenFull: true })
    // Remove entries only after the write. Otherwise an active session would look idle until it is stored.
    for (const [id, at] of written) if (seen.get(id) === at) seen.delete(id)
  }

  const sweep = async () => {
    // Store last-seen times first, so that no active session is selected as idle.
    await flush()
    let total = 0
    for (;;) {
      const nowMs = deletion.now()?.getTime()
      // While deletion is paused, ended sessions are refused but not deleted.
      if (nowMs === undefined) return total
      const ended = await endedSessions(db.read, nowMs, sweepBatch)
      const expired = ended.filter((id) => (seen.get(id) ?? 0) <= nowMs - idleMs)
      if (expired.length > 0)
        await db.write(({ q }) => deleteSessionsById(q, expired), { evenWhenFull: true })
      for (const sessionId of expired) liveAccess.recheck({ sessionId })
      total += expired.length
      if (expired.length < sweepBatch) return total
    }
  }

  let running: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    running = sweep().catch((err: unknown) => logger.error({ err }, 'ended sessions could not be deleted'))
  }, intervalMs)
  timer.unref()

  return {
    touch(sessionId, now) {
      seen.set(sessionId, now.getTime())
    },
    lastSeenMs,
    endsAtMs,
    toWire: (session, currentId) => ({
      id: session.id,
      created_at: new Date(session.created_at).toISOString(),
      last_seen_at: new Date(lastSeenMs(session)).toISOString(),
      expires_at: new Date(endsAtMs(session)).toISOString(),
      ip: session.ip,
      user_agent: session.user_agent,
      method: session.method,
      current: session.id === currentId,
      device: deviceOf(session),
    }),
    flush,
    sweep,
    async close() {
      clearInterval(timer)
      await running
      await flush()
    },
  }
}

function deviceOf({ device_id: id, device_name: name, device_kind: kind }: ListedSession): Session['device'] {
  return id === null || name === null || kind === null ? null : { id, name, kind }
}
