import type { Logger } from 'pino'
import type { Session } from '../../contract/session.ts'
import type { SessionsTable } from '../db/schema.ts'
import type { Db } from '../db/types.ts'
import type { DeletionClock } from '../retention/deletion-clock.ts'
import type { LiveAccess } from './identity.ts'
import { deleteSessionsById, endedSessions, idleMs, storeLastSeen } from './sessions.store.ts'

type Lived = Pick<SessionsTable, 'id' | 'last_seen_at' | 'expires_at'>

export type SessionActivity = {
  touch(sessionId: string, now: Date): void
  lastSeenMs(session: Lived): number
  /** When the session ends unless it is used again: idle or absolute, whichever comes first. */
  endsAtMs(session: Lived): number
  toWire(session: SessionsTable, currentId: string | null): Session
  /** Stores what is only in memory. */
  flush(): Promise<void>
  /** Deletes sessions that ended, in small transactions; returns how many. */
  sweep(): Promise<number>
  close(): Promise<void>
}

export type SessionActivityDeps = {
  readonly db: Db
  readonly deletion: Pick<DeletionClock, 'now'>
  readonly liveAccess: LiveAccess
  readonly logger: Logger
  /** Reading never writes: last-seen times reach the store this often. */
  readonly intervalMs?: number
}

const sweepBatch = 200

export function createSessionActivity({
  db,
  deletion,
  liveAccess,
  logger,
  intervalMs = 60_000,
}: SessionActivityDeps): SessionActivity {
  /** Seen since the last flush. */
  const seen = new Map<string, number>()

  const lastSeenMs = (session: Lived) => Math.max(session.last_seen_at, seen.get(session.id) ?? 0)
  const endsAtMs = (session: Lived) => Math.min(session.expires_at, lastSeenMs(session) + idleMs)

  const flush = async () => {
    if (seen.size === 0) return
    const taken = [...seen]
    await db.write(({ q }) => storeLastSeen(q, taken), { evenWhenFull: true })
    // Only now: until the store knows, a session that nobody remembers could look idle.
    for (const [id, at] of taken) if (seen.get(id) === at) seen.delete(id)
  }

  const sweep = async () => {
    // Before anything is judged idle, the store must know when it was last used.
    await flush()
    let total = 0
    for (;;) {
      const nowMs = deletion.now()?.getTime()
      // While ages cannot be trusted, sessions end but stay.
      if (nowMs === undefined) return total
      const ended = await endedSessions(db.read, nowMs, sweepBatch)
      const doomed = ended.filter((id) => (seen.get(id) ?? 0) <= nowMs - idleMs)
      if (doomed.length > 0) await db.write(({ q }) => deleteSessionsById(q, doomed), { evenWhenFull: true })
      for (const sessionId of doomed) liveAccess.recheck({ sessionId })
      total += doomed.length
      if (doomed.length < sweepBatch) return total
    }
  }

  let running: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    running = sweep().catch((err: unknown) => logger.error({ err }, 'session upkeep failed'))
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
      current: session.id === currentId,
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
