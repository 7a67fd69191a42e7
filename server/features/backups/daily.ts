import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import { systemContext } from '../../lib/context.ts'
import type { NewId } from '../../lib/ids.ts'
import type { BackupsService } from './backups.service.ts'

const dayMs = 24 * 3_600_000
const lookEveryMs = 10 * 60_000

export type DailyBackups = { close(): Promise<void> }

/** Makes a backup a day. Looks every ten minutes, so that a laptop that slept catches up soon after it wakes. */
export function startDailyBackups(deps: {
  readonly backups: BackupsService
  readonly clock: Clock
  readonly newId: NewId
  readonly logger: Logger
}): DailyBackups {
  const { backups, clock, newId, logger } = deps
  let running: Promise<void> = Promise.resolve()
  const look = async () => {
    const now = clock.now()
    const newest = await backups.newestAt()
    if (newest && now.getTime() - newest.getTime() < dayMs) return
    const backup = await backups.create(systemContext(now, `daily-backup-${newId()}`))
    logger.info({ id: backup.id, sizeBytes: backup.size_bytes }, 'daily backup made')
  }
  const timer = setInterval(() => {
    running = running.then(look).catch((err: unknown) => logger.error({ err }, 'the daily backup failed'))
  }, lookEveryMs)
  timer.unref()
  return {
    async close() {
      clearInterval(timer)
      await running
    },
  }
}
