import { join } from 'node:path'
import { rm } from '../../../../disk/promises.ts'
import { createSerialQueue, type SerialQueue } from '../../../../lib/async/serial-queue.ts'
import type { Clock } from '../../../../lib/clock.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import type { StoreLogger } from '../../../types.ts'
import { fileNames, readFolder } from '../format/folder.ts'
import type { Journal } from '../journal/journal.ts'
import { assertOwned, type Fence } from '../lock/fence.ts'
import type { MemoryDatabase } from '../sqlite/memory-database.ts'
import type { Transactions } from '../transactions/transactions.ts'
import { checkDatabase, readSidecar, type Sidecar, writeSnapshot } from './snapshot.ts'
import { runSnapshotJob, type SnapshotTarget } from './snapshot-jobs.ts'

/** Number of snapshots to keep: the newest, and the one before in case the newest is damaged. */
const RETAINED_GENERATIONS = 2

/** Writes snapshots and backups, one at a time. */
export type Checkpoints = {
  /** Writes a new snapshot in a worker thread. Runs after a snapshot or backup in progress. */
  take(): Promise<void>
  backup(file: string): Promise<Sidecar>
  /**
   * Writes a new snapshot synchronously, from memory. It blocks the event loop, so it is only for the start.
   */
  takeNow(): Promise<void>
  /** Starts a checkpoint in the background if the journal has grown enough. */
  takeIfDue(): void
  /** Returns true if the journal since the last snapshot exceeds `share` of the limits (1 is all of it). */
  isDue(share: number): boolean
  /** Resolves when no snapshot or backup is in progress. */
  idle(): Promise<void>
}

export type CheckpointLimits = {
  /**
   * Minimum growth of the journal before a checkpoint, in bytes. An eighth of the database applies if that is
   * more.
   */
  readonly journalBytes: number
  readonly journalTransactions: number
}

type CheckpointOptions = {
  readonly folder: string
  readonly generation: number
  /** Journal that was replayed at start. It counts until the next snapshot. */
  readonly backlog: { readonly bytes: number; readonly count: number }
  readonly database: MemoryDatabase
  readonly journal: Journal
  readonly transactions: Transactions
  readonly limits: CheckpointLimits
  readonly limitBytes: number
  readonly clock: Clock
  readonly logger: StoreLogger
  readonly fence: Fence
}

type State = {
  readonly options: CheckpointOptions
  readonly queue: SerialQueue
  /** Number of the newest snapshot. */
  generation: number
  /** Bytes and transactions that the journal had appended at the newest snapshot. */
  appendedBefore: { readonly bytes: number; readonly transactions: number }
  /** True while a checkpoint of `takeIfDue` runs. */
  isRunning: boolean
  /** Bytes that a failed checkpoint adds to the growth required for the next attempt. */
  postponedBytes: number
}

export function createCheckpoints(options: CheckpointOptions): Checkpoints {
  const { generation, backlog } = options
  const queue = createSerialQueue()
  const appendedBefore = { bytes: -backlog.bytes, transactions: -backlog.count }
  const state: State = { options, queue, generation, appendedBefore, isRunning: false, postponedBytes: 0 }
  return {
    take: () => queue.run(() => takeCheckpoint(state)),
    backup: (file) => queue.run(() => writeCopy(state, { file })),
    takeNow: () => takeNow(state),
    takeIfDue: () => takeIfDue(state),
    isDue: (share) => isDue(state, share),
    idle: queue.idle,
  }
}

/** Writes the current state to `target` in the worker. */
async function writeCopy(state: State, target: SnapshotTarget): Promise<Sidecar> {
  const { folder, journal, transactions, clock, logger, fence, limitBytes } = state.options
  const { transaction, appended } = await transactions.between(async () => {
    await journal.rotate()
    return { transaction: journal.committed(), appended: journal.appended() }
  })
  const started = performance.now()
  const segments = journal.closed().map(({ file }) => file)
  const bases = readFolder(folder).snapshots.filter((found) => found <= state.generation)
  const now = clock.now().toISOString()
  const job = { folder, bases, segments, transaction, target, limitBytes, now, fence }
  const sidecar = await runSnapshotJob(job)
  if ('generation' in target) state.appendedBefore = appended
  const ms = Math.round(performance.now() - started)
  logger.info(
    { file: sidecar.file, bytes: sidecar.bytes, transaction, ms },
    'wrote a verified copy of the database',
  )
  return sidecar
}

async function takeCheckpoint(state: State): Promise<void> {
  await writeCopy(state, { generation: state.generation + 1 })
  state.generation += 1
  await removeOld(state.options)
}

async function takeNow(state: State): Promise<void> {
  const { folder, database, journal, clock, fence } = state.options
  const transaction = journal.committed()
  const generation = state.generation + 1
  checkDatabase(database, 'the new snapshot', 'quick_check')
  writeSnapshot({ folder, generation, database, transaction, now: clock.now(), fence })
  state.generation += 1
  state.appendedBefore = journal.appended()
  await removeOld(state.options)
}

/** Removes older snapshots, and the segments that all remaining snapshots include. */
async function removeOld({ folder, journal, fence }: CheckpointOptions): Promise<void> {
  const { snapshots } = readFolder(folder)
  const retained = snapshots.slice(0, RETAINED_GENERATIONS)
  for (const old of snapshots.slice(RETAINED_GENERATIONS)) {
    assertOwned(fence)
    await rm(join(folder, fileNames.snapshot(old)), { force: true })
    await rm(join(folder, fileNames.sidecar(old)), { force: true })
  }
  const oldest =
    retained.length < RETAINED_GENERATIONS ? undefined : readSidecar(folder, retained.at(-1) ?? 0)
  if (oldest === undefined) return
  for (const { file, sequence, end } of [...journal.closed()]) {
    if (end > oldest.transaction) break
    assertOwned(fence)
    await rm(file, { force: true })
    journal.removeClosed(sequence)
  }
}

function isDue({ options, appendedBefore, postponedBytes }: State, share: number): boolean {
  const { journal, limits, database } = options
  const { bytes, transactions } = journal.appended()
  const bytesLimit = Math.max(limits.journalBytes, database.usedBytes() / 8) * share + postponedBytes
  return (
    bytes - appendedBefore.bytes >= bytesLimit ||
    transactions - appendedBefore.transactions >= limits.journalTransactions * share
  )
}

function takeIfDue(state: State): void {
  const { limits, logger } = state.options
  if (state.isRunning || !isDue(state, 1)) return
  state.isRunning = true
  state.queue
    .run(() => takeCheckpoint(state))
    .then(
      () => {
        state.postponedBytes = 0
      },
      (error: unknown) => {
        state.postponedBytes += limits.journalBytes
        logger.error({ reason: messageOf(error) }, 'the checkpoint failed; the journal keeps everything')
      },
    )
    .finally(() => {
      state.isRunning = false
    })
}
