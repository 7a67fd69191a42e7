import { afterEach, beforeEach } from 'vitest'
import type { AuditTable } from '../../../server/db/schema/schema.ts'
import { type Log, newDataDir, openLog, removeDataDir } from './audit-support.ts'

export let log: Log

/** Opens the log for each test of a group; other groups need none, and opening a store is slow. */
export function withLog(): void {
  beforeEach(async () => {
    log = await openLog(await newDataDir())
  })
  afterEach(async () => {
    await log.close()
    await removeDataDir(log.dataDir)
  })
}

export const rows = (): Promise<AuditTable[]> =>
  log.db.read.selectFrom('audit').selectAll().orderBy('id').execute()

export const singleRow = async (): Promise<AuditTable> => {
  const [row, ...rest] = await rows()
  if (row === undefined || rest.length > 0) throw new Error('expected exactly one entry')
  return row
}

/** Opens the data folder of the log again. */
export async function reopen(): Promise<void> {
  log = await openLog(log.dataDir)
}
