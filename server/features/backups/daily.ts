import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import { systemContext } from '../../lib/context.ts'
import { dayMs, hourMs, minuteMs } from '../../lib/durations.ts'
import type { NewId } from '../../lib/ids.ts'
import type { BackupsService } from './backups.service.ts'

/** If the newest backup is more than this far in the future, it was made while the clock was wrong. */
const maxAheadMs = hourMs
const defaultIntervalMs = 10 * minuteMs

export type DailyBackups = { close(): Promise<void> }

/** Returns true if a backup is due. A newest backup from the future does not delay the next one. */
export function isDue(now: Date, newest: Date | null): boolean {
  if (newest === null) return true
  const age = now.getTime() - newest.getTime()
  return age >= dayMs || age < -maxAheadMs
}

/**
 * Makes one backup per day, and verifies the others at start and after each new one. Checks every ten
 * minutes, so that a laptop makes a missed backup soon after it wakes.
 */
export function startDailyBackups(deps: {
  readonly backups: Pick<BackupsService, 'create' | 'newestAt' | 'verify'>
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Interval of the check whether a backup is due, in milliseconds. */
  readonly intervalMs?: number
}): DailyBackups {
  const { backups, clock, newId, logger, intervalMs = defaultIntervalMs } = deps
  const verify = async () => {
    for (const { id } of await backups.verify()) {
      logger.warn(
        { id },
        'a backup does not match its checksum: it is incomplete or was changed; do not use it',
      )
    }
  }
  const backUpIfDue = async () => {
    const now = clock.now()
    if (!isDue(now, await backups.newestAt())) return
    const backup = await backups.create(systemContext(now, `daily-backup-${newId()}`))
    logger.info({ id: backup.id, sizeBytes: backup.size_bytes }, 'created the daily backup')
    await verify()
  }
  let running: Promise<void> = Promise.resolve()
  const runSerially = (work: () => Promise<void>, failure: string) => {
    running = running.then(work).catch((err: unknown) => logger.error({ err }, failure))
  }
  runSerially(verify, 'the backups could not be verified')
  const timer = setInterval(() => runSerially(backUpIfDue, 'the daily backup failed'), intervalMs)
  timer.unref()
  return {
    async close() {
      clearInterval(timer)
      await running
    },
  }
}
