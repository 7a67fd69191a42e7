import type { Logger } from 'pino'
import type { Db } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Actor, Context } from '../../lib/context.ts'

export type FailedSignIns = {
  /** `username` is that of an existing user, null for a name that matches none: it may be a password typed in the wrong field. */
  note(ctx: Context, username: string | null): Promise<void>
  /** Writes the counts of the minutes that are over. */
  flush(): Promise<void>
  close(): Promise<void>
}

export type FailedSignInsDeps = {
  readonly db: Db
  readonly history: History
  readonly clock: Clock
  readonly logger: Logger
  readonly tickMs?: number
}

const windowMs = 60_000
/** Pairs that are counted at a time; above it a failure is a row of its own rather than lost. */
const maxPairs = 10_000

export const anonymous: Actor = {
  kind: 'anonymous',
  id: null,
  name: 'anonymous',
  role: null,
  sessionId: null,
}

/** Failures since the last row of this (user, address), and the context of the latest. */
type Pending = { endsAtMs: number; count: number; ctx: Context; username: string | null }

/**
 * One row per (user, address) and minute. Rows of a hash chain cannot be counted up, so the first failure is written at
 * once and opens a minute; what fails within it is counted in memory and written as the row of the next minute. Nobody
 * has to wait to see an attack begin, no minute has two rows, and the counts add up to every failure.
 */
export function createFailedSignIns({
  db,
  history,
  clock,
  logger,
  tickMs = 5_000,
}: FailedSignInsDeps): FailedSignIns {
  const pending = new Map<string, Pending>()

  const write = (ctx: Context, username: string | null, count: number) => {
    const who = username ?? 'an unknown name'
    const times = count === 1 ? '' : ` (${count} times)`
    return db.write(
      (tx) =>
        history.record(tx, ctx, {
          action: 'login_failed',
          resource: 'session',
          resourceId: null,
          key: username,
          summary: `Failed sign-in as ${who}${times}`,
          after: { count },
          actor: anonymous,
        }),
      { evenWhenFull: true },
    )
  }

  const flushBefore = async (nowMs: number) => {
    for (const [pair, window] of [...pending]) {
      if (window.endsAtMs > nowMs) continue
      if (window.count === 0) {
        pending.delete(pair)
        continue
      }
      const { ctx, username, count } = window
      window.count = 0
      window.endsAtMs = nowMs + windowMs
      await write({ ...ctx, now: clock.now() }, username, count)
    }
  }

  let running: Promise<unknown> = Promise.resolve()
  const timer = setInterval(() => {
    running = flushBefore(clock.now().getTime()).catch((err: unknown) =>
      logger.error({ err }, 'failed sign-ins could not be written to the audit log'),
    )
  }, tickMs)
  timer.unref()

  return {
    async note(ctx, username) {
      const nowMs = clock.now().getTime()
      const pair = JSON.stringify([username, ctx.ip])
      const open = pending.get(pair)
      if (open) {
        open.count += 1
        open.ctx = ctx
        if (open.endsAtMs <= nowMs) await flushBefore(nowMs)
        return
      }
      if (pending.size < maxPairs) pending.set(pair, { endsAtMs: nowMs + windowMs, count: 0, ctx, username })
      await write(ctx, username, 1)
    },
    flush: () => flushBefore(clock.now().getTime()),
    async close() {
      clearInterval(timer)
      await running
      await flushBefore(Number.POSITIVE_INFINITY)
      pending.clear()
    },
  }
}
