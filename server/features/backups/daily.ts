import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import { systemContext } from '../../lib/context.ts'
import type { NewId } from '../../lib/ids.ts'
import type { BackupsService } from './backups.service.ts'

const dayMs = 24 * 3_600_000
/** A newest backup this far ahead of the clock was made while the clock was wrong. */
const aheadMs = 3_600_000
const usualLookEveryMs = 10 * 60_000

export type DailyBackups = { close(): Promise<void> }

/** A clock that was ahead when the newest backup was made does not put off the next one. */
export function isDue(now: Date, newest: Date | null): boolean {
  if (newest === null) return true
  const age = now.getTime() - newest.getTime()
  return age >= dayMs || age < -aheadMs
}

/**
 * Makes a backup a day, and reads the others to verify them at start and with each new one. Looks every ten minutes, so
 * that a laptop that slept catches up soon after it wakes.
 */
export function startDailyBackups(deps: {
  readonly backups: Pick<BackupsService, 'create' | 'newestAt' | 'verify'>
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly lookEveryMs?: number
}): DailyBackups {
  const { backups, clock, newId, logger, lookEveryMs = usualLookEveryMs } = deps
  const verify = async () => {
    for (const { id } of await backups.verify()) {
      logger.warn({ id }, 'a backup does not verify: it was cut off or changed, do not rely on it')
    }
  }
  const look = async () => {
    const now = clock.now()
    if (!isDue(now, await backups.newestAt())) return
    const backup = await backups.create(systemContext(now, `daily-backup-${newId()}`))
    logger.info({ id: backup.id, sizeBytes: backup.size_bytes }, 'daily backup made')
    await verify()
  }
  let running: Promise<void> = Promise.resolve()
  const inTurn = (work: () => Promise<void>, failure: string) => {
    running = running.then(work).catch((err: unknown) => logger.error({ err }, failure))
  }
  inTurn(verify, 'the backups could not be verified')
  const timer = setInterval(() => inTurn(look, 'the daily backup failed'), lookEveryMs)
  timer.unref()
  return {
    async close() {
      clearInterval(timer)
      await running
    },
  }
}
