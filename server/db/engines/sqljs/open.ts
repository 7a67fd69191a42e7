import { systemClock } from '../../../lib/clock.ts'
import { endAll } from '../../../lib/end-all.ts'
import { fail } from '../../../lib/fail.ts'
import { isNoSpace } from '../../../lib/no-space.ts'
import { messageOf, StoreError } from '../../errors.ts'
import { migrations as released } from '../../migrations/index.ts'
import type { Db } from '../../types.ts'
import { createJournal } from './journal/journal.ts'
import { createRoom } from './journal/preallocation.ts'
import type { Lock } from './lock/lock.ts'
import { migrate, refuseNewerSchema } from './migrate.ts'
import { ensureFolder, lockFolder, readable } from './open-folder.ts'
import { createRecordGuard } from './record/guard.ts'
import { recover } from './recovery/load-store.ts'
import { finishRestore, forgetRestore, readRestored } from './recovery/restore-marker.ts'
import { createCheckpoints } from './snapshot/checkpoints.ts'
import { ensureStartReserve } from './space/reserve.ts'
import { createSpace } from './space/space.ts'
import { loadSqlJs } from './sqlite/sqljs.ts'
import { type OpenedStore, type StoreOptions, usualTuning } from './store-options.ts'
import { createTransactions } from './transactions/transactions.ts'

export type { OpenedStore, StoreOptions, StoreSubstitutes } from './store-options.ts'

/** Maximum size of a snapshot that is written and verified in well under a second. */
const CHEAP_SNAPSHOT_BYTES = 64 * 1024 * 1024

/**
 * Locks the folder, recovers the database, migrates the schema and returns the open store. Throws a
 * `StoreError`.
 */
export async function openDb(options: StoreOptions): Promise<OpenedStore> {
  ensureFolder(options.folder)
  const lock = await lockFolder(options).catch((error: unknown) => {
    throw readable(error, options)
  })
  try {
    return await openLocked(options, lock)
  } catch (error) {
    await lock
      .release()
      .catch((reason: unknown) =>
        options.logger.warn({ reason: messageOf(reason) }, 'the lock of the store was released incompletely'),
      )
    throw readable(error, options)
  }
}

async function openLocked(options: StoreOptions, lock: Lock): Promise<OpenedStore> {
  const { folder, maxStoreBytes: limitBytes, logger, clock = systemClock, migrations = released } = options
  const tuning = { ...usualTuning, ...options.tuning }
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
  const recovered = recover({ sql, folder, limitBytes, logger, now, fence, checkSchema, guard })
  const { engine } = recovered

  let state: 'open' | 'failed' | 'closed' = 'open'
  let stopWrites: ((failure: Error) => void) | undefined
  const onFatal = (error: Error): void => {
    if (state !== 'open') return
    state = 'failed'
    // The journal did not start. `createJournal` rejects with the reason.
    if (stopWrites === undefined) return
    stopWrites(error)
    logger.error(
      { reason: messageOf(error) },
      'the store failed and takes nothing more; the next start reads the disk',
    )
    options.onFatal?.(error)
  }
  const room = createRoom({
    folder,
    firstSequence: recovered.nextSequence,
    segmentBytes: tuning.segmentBytes,
    fence,
    dataDir: options.dataDir,
    onFull: (error) => space.noteFull(error),
    isFull: () => space.fullSince() !== null,
  })
  const space = createSpace({
    folder,
    dataDir: options.dataDir,
    segmentBytes: tuning.segmentBytes,
    makeSegment: () => room.ready(),
    clock,
    logger,
  })
  const { transaction, closed } = recovered
  const begin = async () => {
    const record = guard.begin(transaction)
    return createJournal({ room, transaction, closed, fence, record, onFailed: onFatal })
  }
  const journal = await begin().catch(async (error: unknown) => {
    engine.close()
    await space.close()
    throw new StoreError('unreadable', `The journal in ${folder} cannot be begun: ${messageOf(error)}`, {
      cause: error,
    })
  })
  const transactions = createTransactions({
    engine,
    journal,
    limitBytes,
    isDiskFull: () => space.fullSince() !== null,
    hasRoom: () => space.hasRoom(),
    heldMs: tuning.heldMs,
    onCallbackError: (error) => logger.error({ reason: messageOf(error) }, 'a callback after commit failed'),
    onFatal,
  })
  stopWrites = transactions.stop
  const { image } = engine
  const generation = recovered.generation
  const limits = { journalBytes: tuning.journalBytes, journalTransactions: tuning.journalTransactions }
  const parts = {
    folder,
    generation,
    backlog: recovered.replayed,
    image,
    journal,
    transactions,
    limits,
    limitBytes,
    clock,
    logger,
    fence,
  }
  const checkpoints = createCheckpoints(parts)
  lock.onLost(onFatal)

  try {
    const { isNew } = recovered
    const run = await migrate({
      engine,
      folder,
      migrations,
      transaction,
      isNew,
      now,
      fence,
      apply: transactions.change,
    })
    if (run.from !== run.to) logger.info({ ...run }, 'brought the schema up to date')
    const { bytes, count } = recovered.replayed
    // Take a snapshot now. Otherwise a store that is killed repeatedly would start more slowly each time.
    const wasLong = bytes >= tuning.journalBytes || count >= tuning.journalTransactions
    if (wasLong || recovered.fellBack || run.backup !== null) {
      await checkpoints.takeNow(image).catch((error: unknown) => {
        if (!isNoSpace(error)) throw error
        space.noteFull(error)
      })
    }
    space.prepare()
    if (options.dataDir !== undefined) ensureStartReserve(options.dataDir, logger)
  } catch (error) {
    transactions.stop()
    await endAll([space.close, journal.close, engine.close]).catch((reason: unknown) =>
      logger.warn({ reason: messageOf(reason) }, 'the store that was not opened was closed incompletely'),
    )
    throw error
  }
  /**
   * Returns true if a snapshot at close is cheap and contains new transactions, so that other SQLite tools
   * see them.
   */
  const isWorthKeepingReadable = (): boolean =>
    options.snapshotAtClose === true &&
    journal.appended().transactions > 0 &&
    image.usedBytes() <= CHEAP_SNAPSHOT_BYTES

  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    if (state === 'open') {
      // Waits for the writes that are already queued.
      await transactions.between(async () => transactions.stop())
      if (checkpoints.isDue(0.25) || isWorthKeepingReadable()) {
        const onError = (error: unknown): void =>
          logger.error({ reason: messageOf(error) }, 'no snapshot at the end; the journal keeps everything')
        await checkpoints.take().catch(onError)
      }
    }
    const end = (): void => {
      if (state === 'open') state = 'closed'
    }
    await endAll([checkpoints.idle, space.close, journal.close, end, engine.close, lock.release])
  }
  function assertServing(): void {
    if (state !== 'open' || closing !== undefined)
      throw fail('store.unavailable', { detail: 'The store is closed.' })
  }
  const db: Db = {
    read: transactions.read,
    async write(work, writeOptions) {
      const result = await transactions.write(work, writeOptions)
      if (closing === undefined) checkpoints.consider()
      return result
    },
    settled: transactions.settled,
    status: () => ({
      state,
      usedBytes: state === 'closed' ? 0 : image.usedBytes(),
      limitBytes,
      isFull: state !== 'closed' && image.usedBytes() >= limitBytes,
      diskFullSince: space.fullSince(),
      committed: journal.committed(),
      synced: journal.synced(),
    }),
    async checkpoint() {
      assertServing()
      await checkpoints.take()
    },
    async backup(file) {
      assertServing()
      try {
        return { sizeBytes: (await checkpoints.backup(file)).bytes }
      } catch (error) {
        if (!isNoSpace(error)) throw error
        const detail = 'The disk has no room for the backup; nothing of it was kept. Free some room on it.'
        throw fail('store.full', { detail, cause: error })
      }
    },
    close() {
      closing ??= close()
      return closing
    },
  }
  return {
    db,
    lock,
    isNew: recovered.isNew,
    restoredFrom,
    forgetRestore: () => forgetRestore(folder),
  }
}
