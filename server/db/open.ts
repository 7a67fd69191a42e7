import { accessSync, constants, mkdirSync } from 'node:fs'
import { type Clock, systemClock } from '../lib/clock.ts'
import { fail } from '../lib/fail.ts'
import { createCheckpoints } from './checkpoints.ts'
import { messageOf, StoreError } from './errors.ts'
import type { Faults } from './faults.ts'
import { createJournal } from './journal.ts'
import { acquireLock, type Lock } from './lock.ts'
import { migrate, refuseNewerSchema } from './migrate.ts'
import { type Migration, migrations as released } from './migrations/index.ts'
import { recover } from './recover.ts'
import { finishRestore, forgetRestore, type RestoredFrom, readRestored } from './restored.ts'
import { createRoom } from './room.ts'
import { loadSqlJs } from './sqljs.ts'
import { createTransactions } from './transactions.ts'
import type { Db, StoreLogger } from './types.ts'

const MIB = 1024 * 1024
/** Written and verified in well under a second. */
const CHEAP_SNAPSHOT_BYTES = 64 * MIB

/** Figures a test makes small. */
export type StoreTuning = {
  readonly segmentBytes: number
  readonly journalBytes: number
  readonly journalTransactions: number
  readonly heldMs: number
}

const usual: StoreTuning = {
  segmentBytes: 8 * MIB,
  journalBytes: 32 * MIB,
  journalTransactions: 100_000,
  heldMs: 5000,
}

export type StoreOptions = {
  readonly folder: string
  /** MAX_STORE_MB in bytes: from there on only `evenWhenFull` writes. */
  readonly maxStoreBytes: number
  readonly logger: StoreLogger
  readonly clock?: Clock
  readonly migrations?: readonly Migration[]
  /** The disk or the engine failed for good: everything is refused from now on and the process should end. */
  readonly onFatal?: (error: Error) => void
  readonly faults?: Faults
  readonly tuning?: Partial<StoreTuning>
  /** Also snapshot a store at its end when that takes no time to speak of; else only when the journal has grown. */
  readonly snapshotAtClose?: boolean
}

export type OpenedStore = {
  readonly db: Db
  readonly lock: Pick<Lock, 'announce'>
  readonly isNew: boolean
  /** The restore this is the first start after; `forgetRestore` once the audit log has it. */
  readonly restoredFrom: RestoredFrom | null
  readonly forgetRestore: () => void
}

/** Locks the folder, reads what it holds, brings the schema up to date, and serves it. Throws a StoreError. */
export async function openDb(options: StoreOptions): Promise<OpenedStore> {
  ensureFolder(options.folder)
  const lock = await acquireLock(options.folder)
  try {
    return await openLocked(options, lock)
  } catch (error) {
    await lock.release()
    throw error
  }
}

async function openLocked(options: StoreOptions, lock: Lock): Promise<OpenedStore> {
  const {
    folder,
    maxStoreBytes: limitBytes,
    logger,
    faults,
    clock = systemClock,
    migrations = released,
  } = options
  const tuning = { ...usual, ...options.tuning }
  const now = clock.now()
  finishRestore(folder, logger)
  const sql = await loadSqlJs()
  const checkSchema = (schema: number, file: string): void => refuseNewerSchema(schema, migrations, file)
  const recovered = recover({ sql, folder, limitBytes, logger, now, faults, checkSchema })
  const { engine } = recovered

  let state: 'open' | 'failed' | 'closed' = 'open'
  const onFatal = (error: Error): void => {
    if (state !== 'open') return
    state = 'failed'
    transactions.stop()
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
    faults,
  })
  const { transaction, closed } = recovered
  const journal = await createJournal({ room, transaction, closed, faults, onFailed: onFatal }).catch(
    (error) => {
      engine.close()
      throw new StoreError('unreadable', `The journal in ${folder} cannot be begun: ${messageOf(error)}`, {
        cause: error,
      })
    },
  )
  const transactions = createTransactions({
    engine,
    journal,
    limitBytes,
    heldMs: tuning.heldMs,
    onCallbackError: (error) => logger.error({ reason: messageOf(error) }, 'a callback after commit failed'),
    onFatal,
  })
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
    faults,
  }
  const checkpoints = createCheckpoints(parts)

  try {
    const { isNew } = recovered
    const run = await migrate({
      engine,
      folder,
      migrations,
      transaction,
      isNew,
      now,
      apply: transactions.change,
    })
    if (run.from !== run.to) logger.info({ ...run }, 'brought the schema up to date')
    const { bytes, count } = recovered.replayed
    // A store that is killed again and again would otherwise start slower each time.
    const wasLong = bytes >= tuning.journalBytes || count >= tuning.journalTransactions
    if (wasLong || recovered.fellBack || run.backup !== null) await checkpoints.takeNow(image)
  } catch (error) {
    transactions.stop()
    await journal.close()
    engine.close()
    throw error
  }
  /** So that whoever opens the snapshot of a stopped service with another tool sees what the service showed. */
  const isWorthKeepingReadable = (): boolean =>
    options.snapshotAtClose === true &&
    journal.appended().transactions > 0 &&
    image.usedBytes() <= CHEAP_SNAPSHOT_BYTES

  let closing: Promise<void> | undefined
  async function close(): Promise<void> {
    if (state === 'open') {
      // Behind the writes that are already in line.
      await transactions.between(async () => transactions.stop())
      if (checkpoints.isDue(0.25) || isWorthKeepingReadable()) {
        const onError = (error: unknown): void =>
          logger.error({ reason: messageOf(error) }, 'no snapshot at the end; the journal keeps everything')
        await checkpoints.take().catch(onError)
      }
    }
    await checkpoints.idle()
    try {
      await journal.close()
    } finally {
      if (state === 'open') state = 'closed'
      engine.close()
      await lock.release()
    }
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
      committed: journal.committed(),
      synced: journal.synced(),
    }),
    async checkpoint() {
      assertServing()
      await checkpoints.take()
    },
    async backup(file) {
      assertServing()
      return { sizeBytes: (await checkpoints.backup(file)).bytes }
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
    restoredFrom: readRestored(folder),
    forgetRestore: () => forgetRestore(folder),
  }
}

function ensureFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const message = `The data folder ${folder} cannot be used: ${messageOf(error)}`
    throw new StoreError('unreadable', message, { cause: error })
  }
}
