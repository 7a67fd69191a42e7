import { systemClock } from '../../../lib/clock.ts'
import { endAll } from '../../../lib/end-all.ts'
import { isNoSpace } from '../../../lib/files/no-space.ts'
import { messageOf } from '../../../lib/text/message-of.ts'
import { migrations as released } from '../../migrations/index.ts'
import { refuseNewerSchema } from '../../migrations/version.ts'
import { createDb } from './db.ts'
import { type JournalThread, startJournalThread } from './journal/journal-thread.ts'
import type { Lock } from './lock/lock.ts'
import { migrate } from './migrate.ts'
import { ensureFolder, lockFolder, withStartAdvice } from './open-folder.ts'
import { createParts, type StoreParts } from './parts.ts'
import { createRecordGuard } from './record/guard.ts'
import { readStoreId } from './record/identity.ts'
import { loadStore } from './recovery/load-store.ts'
import { clearRestore, finishRestore, readRestored } from './recovery/restore-marker.ts'
import { ensureStartReserve } from './space/reserve.ts'
import { loadSqlJs } from './sqlite/sqljs.ts'
import { defaultTuning, type OpenedStore, type StoreOptions } from './store-options.ts'

export type { OpenedStore, StoreOptions, StoreSubstitutes } from './store-options.ts'

/**
 * Locks the folder, recovers the database, migrates the schema and returns the open store. Throws a
 * `StoreError` if the store cannot be opened.
 */
export async function openDb(options: StoreOptions): Promise<OpenedStore> {
  ensureFolder(options.folder)
  const lock = await lockFolder(options).catch((error: unknown) => {
    throw withStartAdvice(error, options)
  })
  try {
    return await openLocked(options, lock)
  } catch (error) {
    await lock
      .release()
      .catch((reason: unknown) =>
        options.logger.warn({ reason: messageOf(reason) }, 'the lock of the store was released incompletely'),
      )
    throw withStartAdvice(error, options)
  }
}

/** Starts the journal's thread, and loads the store meanwhile, because both take about as long. */
async function openLocked(options: StoreOptions, lock: Lock): Promise<OpenedStore> {
  const thread = startJournalThread(lock.fence)
  try {
    return await openWithThread(options, lock, thread)
  } catch (error) {
    await thread.end()
    throw error
  }
}

async function openWithThread(
  options: StoreOptions,
  lock: Lock,
  thread: JournalThread,
): Promise<OpenedStore> {
  const { folder, maxStoreBytes: limitBytes, logger, clock = systemClock, migrations = released } = options
  const now = clock.now()
  const { fence } = lock
  finishRestore(folder, logger)
  const restoredFrom = readRestored(folder)
  const guard = createRecordGuard({
    folder,
    dataDir: options.dataDir,
    knownAuditEntry: (await options.knownAuditEntry?.()) ?? null,
    restoredAt: restoredFrom?.at ?? null,
    now,
    logger,
  })
  const sql = await loadSqlJs()
  const checkSchema = (schema: number, file: string): void => refuseNewerSchema(schema, migrations, file)
  const loaded = loadStore({ sql, folder, limitBytes, logger, now, fence, checkSchema, guard })
  const tuning = { ...defaultTuning, ...options.tuning }
  const parts = await createParts({ options, tuning, clock, lock, guard, thread, loaded })
  try {
    await prepare(parts, now)
  } catch (error) {
    const { transactions, space, journal, engine } = parts
    transactions.stop()
    await endAll([space.close, journal.close, engine.close]).catch((reason: unknown) =>
      logger.warn({ reason: messageOf(reason) }, 'the store that was not opened was closed incompletely'),
    )
    throw error
  }
  return {
    db: createDb(parts),
    lock,
    isNew: loaded.isNew,
    storeId: readStoreId(folder),
    restoredFrom,
    clearRestore: () => clearRestore(folder),
    peers: null,
  }
}

/** Migrates the schema, writes a snapshot if one is due, and reserves disk space. */
async function prepare(parts: StoreParts, now: Date): Promise<void> {
  const { options, tuning, loaded, engine, transactions, checkpoints, space, lock } = parts
  const { folder, logger, migrations = released } = options
  const { isNew, transaction } = loaded
  const { fence } = lock
  const apply = transactions.change
  const run = await migrate({ engine, folder, migrations, transaction, isNew, now, fence, apply })
  if (run.from !== run.to) logger.info({ ...run }, 'brought the schema up to date')
  const { bytes, count } = loaded.replayed
  // Take a snapshot now. Otherwise a store that is killed repeatedly would start more slowly each time.
  const wasLong = bytes >= tuning.journalBytes || count >= tuning.journalTransactions
  if (wasLong || loaded.usesOlderSnapshot || run.backup !== null) {
    await checkpoints.takeNow().catch((error: unknown) => {
      if (!isNoSpace(error)) throw error
      space.noteFull(error)
    })
  }
  space.prepare()
  if (options.dataDir !== undefined) ensureStartReserve(options.dataDir, logger)
}
