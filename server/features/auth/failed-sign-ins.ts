import type { Logger } from 'pino'
import type { Db } from '../../db/types.ts'
import type { History, HistoryEvent } from '../../history/history.ts'
import type { Clock } from '../../lib/clock.ts'
import { anonymous, type Context } from '../../lib/context.ts'
import { minuteMs } from '../../lib/durations.ts'

/** The credential that was refused. */
export type RefusedCredential = 'password' | 'code' | 'passkey' | 'link'

export type FailedSignIns = {
  /**
   * `username` is that of an existing user, or null for an unknown name: it may be a password typed in the
   * wrong field.
   */
  record(ctx: Context, username: string | null, refused?: RefusedCredential): Promise<void>
  /** Writes the counts of finished minutes. */
  flush(): Promise<void>
  close(): Promise<void>
}

export type FailedSignInsDeps = {
  readonly db: Db
  readonly history: History
  readonly clock: Clock
  readonly logger: Logger
  readonly tickMs?: number
  /** Returns the audit entry of `count` failures; by default of failed sign-ins. */
  readonly eventOf?: (username: string | null, count: number, refused: RefusedCredential) => HistoryEvent
}

const windowMs = minuteMs
/** Maximum number of counted pairs. Beyond it, each failure is a row of its own, so that none is lost. */
const maxPairs = 10_000

/** Failures since the last row of this (user, address), and the context of the latest. */
type Pending = {
  endsAtMs: number
  count: number
  ctx: Context
  readonly username: string | null
  readonly refused: RefusedCredential
}

const reasons: Readonly<Record<RefusedCredential, string>> = {
  password: '',
  code: ': wrong code after the correct password',
  passkey: ': passkey not accepted',
  link: ': one-time link not accepted',
}

function failedSignIn(username: string | null, count: number, refused: RefusedCredential): HistoryEvent {
  const name = username ?? 'an unknown name'
  const times = count === 1 ? '' : ` (${count} times)`
  return {
    action: 'login_failed',
    resource: 'session',
    resourceId: null,
    key: username,
    summary: `Failed sign-in as ${name}${reasons[refused]}${times}`,
    after: { count },
    actor: anonymous,
  }
}

/**
 * Records failed sign-ins, one row per (user, address, credential) and minute. Rows of a hash chain cannot be updated.
 * The first failure is written immediately and begins a minute; failures within it are counted in memory and
 * written as one row when it ends. So an attack is visible immediately, and the counts include every failure.
 */
export function createFailedSignIns({
  db,
  history,
  clock,
  logger,
  tickMs = 5_000,
  eventOf = failedSignIn,
}: FailedSignInsDeps): FailedSignIns {
  const pending = new Map<string, Pending>()

  const write = (ctx: Context, { username, refused }: Pick<Pending, 'username' | 'refused'>, count: number) =>
    db.write((tx) => history.record(tx, ctx, eventOf(username, count, refused)), { evenWhenFull: true })

  const flushBefore = async (nowMs: number) => {
    for (const [pair, window] of [...pending]) {
      if (window.endsAtMs > nowMs) continue
      if (window.count === 0) {
        // A concurrent flush may have removed this window, and another failure may have begun a new one.
        if (pending.get(pair) === window) pending.delete(pair)
        continue
      }
      const { ctx, count } = window
      window.count = 0
      window.endsAtMs = nowMs + windowMs
      await write({ ...ctx, now: clock.now() }, window, count).catch((error: unknown) => {
        window.count += count
        throw error
      })
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
    async record(ctx, username, refused = 'password') {
      const nowMs = clock.now().getTime()
      const pair = JSON.stringify([username, ctx.ip, refused])
      const open = pending.get(pair)
      if (open) {
        open.count += 1
        open.ctx = ctx
        if (open.endsAtMs <= nowMs) await flushBefore(nowMs)
        return
      }
      if (pending.size < maxPairs) {
        pending.set(pair, { endsAtMs: nowMs + windowMs, count: 0, ctx, username, refused })
      }
      await write(ctx, { username, refused }, 1)
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
