import { join } from 'node:path'
import type { Config } from '../config.ts'
import { type BackupsService, createBackupsService } from '../features/backups/backups.service.ts'
import { createBackupStore } from '../features/backups/backups.store.ts'
import { startDailyBackups } from '../features/backups/daily.ts'
import type { ComposeDeps, OnClose } from './deps.ts'
import type { Foundation } from './foundation/foundation.ts'

/** Creates the service for backups, and removes the files of an interrupted backup. */
export async function composeBackups(
  config: Config,
  { logger }: Pick<ComposeDeps, 'logger'>,
  { db, history, deletion }: Pick<Foundation, 'db' | 'history' | 'deletion'>,
): Promise<BackupsService> {
  const store = createBackupStore(join(config.dataDir, 'backups'))
  await store.removeTemporary((err) => logger.error({ err }, 'unfinished backups could not be removed'))
  return createBackupsService({
    db,
    history,
    store,
    maxBackups: config.backupsKept,
    mayDelete: () => deletion.now() !== null,
  })
}

/** Starts the daily backups. PostgreSQL is backed up with its own tools. */
export function scheduleBackups(
  { database }: Config,
  { clock, newId, logger }: ComposeDeps,
  backups: BackupsService,
  onClose: OnClose,
): void {
  if (database !== null) return
  const daily = startDailyBackups({ backups, clock, newId, logger })
  onClose(() => daily.close())
}
