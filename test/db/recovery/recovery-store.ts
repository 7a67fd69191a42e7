import { join } from 'node:path'
import { expect } from 'vitest'
import { type RecoverOptions, recoverStore } from '../../../server/db/engines/sqljs/recovery/recover-store.ts'
import { lastRecords } from '../crash.ts'
import { crashed, largeItem, open, storeOf } from '../data-folder.ts'
import { add, filesOf, memoryLogger, newFolder, testMigrations } from '../store.ts'

const clock = { now: () => new Date('2026-11-22T10:00:00.000Z') }

export const recover = (dataDir: string, options: Partial<RecoverOptions> = {}) =>
  recoverStore({
    folder: storeOf(dataDir),
    dataDir,
    knownAuditEntry: null,
    apply: false,
    logger: memoryLogger(),
    clock,
    migrations: testMigrations,
    ...options,
  })

/**
 * Creates items 1 to 9, a snapshot after 4, segments 1 (to 4), 2 (to 8) and 3. Item n is transaction n + 1,
 * the schema is 1.
 */
export async function killedWithSegments(): Promise<string> {
  const dataDir = newFolder()
  const { db } = await open(dataDir)
  for (let id = 1; id <= 9; id += 1) {
    await add(db, largeItem(id))
    if (id === 4) await db.checkpoint()
  }
  // From then on, damage to the last record is detected.
  await expect
    .poll(() => lastRecords(storeOf(dataDir)).marked === lastRecords(storeOf(dataDir)).end)
    .toBe(true)
  return await crashed(dataDir)
}

export const snapshots = (dataDir: string) => filesOf(storeOf(dataDir), /^snapshot-.*\.db$/)

export function damageAll(files: readonly string[], damage: (file: string) => void): void {
  for (const file of files) damage(file)
}
export const segment = (dataDir: string, sequence: number) =>
  join(storeOf(dataDir), `journal-0000000${sequence}.log`)
