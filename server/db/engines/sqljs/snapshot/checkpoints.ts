import { join } from 'node:path'
import { rm } from '../../../../disk/promises.ts'
import type { Clock } from '../../../../lib/clock.ts'
import { messageOf } from '../../../errors.ts'
import type { StoreLogger } from '../../../types.ts'
import { fileNames, readFolder } from '../format/folder.ts'
import type { Journal } from '../journal/journal.ts'
import { assertOwned, type Fence } from '../lock/fence.ts'
import type { Image } from '../sqlite/memory-database.ts'
import type { Transactions } from '../transactions/transactions.ts'
import { readSidecar, type Sidecar, writeSnapshot } from './snapshot.ts'
import { runSnapshotJob, type SnapshotTarget } from './snapshot-jobs.ts'

/** Number of snapshots to keep: the newest, and the one before in case the newest is damaged. */
const KEPT_GENERATIONS = 2

/** Writes snapshots and backups, one at a time. */
export type Checkpoints = {
  /** Writes a new snapshot in a worker thread. Runs after a snapshot or backup in progress. */
  take(): Promise<void>
  backup(file: string): Promise<Sidecar>
  /**
   * Writes a new snapshot synchronously, from memory. It blocks the event loop, so it is only for the start.
   */
  takeNow(image: Image): Promise<void>
  /** Starts a checkpoint in the background if the journal has grown enough. */
  consider(): void
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

export function createCheckpoints(options: {
  readonly folder: string
  readonly generation: number
  /** Journal that was replayed at start. It counts until the next snapshot. */
  readonly backlog: { readonly bytes: number; readonly count: number }
  readonly image: Image
  readonly journal: Journal
  readonly transactions: Transactions
  readonly limits: CheckpointLimits
  readonly limitBytes: number
  readonly clock: Clock
  readonly logger: StoreLogger
  readonly fence: Fence
}): Checkpoints {
  const { folder, image, journal, transactions, limits, clock, logger, fence } = options
  let generation = options.generation
  let before = { bytes: -options.backlog.bytes, transactions: -options.backlog.count }
  let running: Promise<unknown> = Promise.resolve()
  let isRunning = false
  /** Bytes that a failed checkpoint adds to the growth required for the next attempt. */
  let postponed = 0

  /** Runs jobs one after another. The returned promise has the job's own error. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = running.then(work)
    running = result.catch(() => {})
    return result
  }

  async function make(target: SnapshotTarget): Promise<Sidecar> {
    const { transaction, appended } = await transactions.between(async () => {
      await journal.rotate()
      return { transaction: journal.committed(), appended: journal.appended() }
    })
    const started = performance.now()
    const segments = journal.closed().map(({ file }) => file)
    const bases = readFolder(folder).snapshots.filter((found) => found <= generation)
    const now = clock.now().toISOString()
    const { limitBytes } = options
    const sidecar = await runSnapshotJob({
      folder,
      bases,
      segments,
      transaction,
      target,
      limitBytes,
      now,
      fence,
    })
    if ('generation' in target) before = appended
    const ms = Math.round(performance.now() - started)
    logger.info(
      { file: sidecar.file, bytes: sidecar.bytes, transaction, ms },
      'wrote a verified copy of the database',
    )
    return sidecar
  }

  async function checkpoint(): Promise<void> {
    await make({ generation: generation + 1 })
    generation += 1
    await retire()
  }

  /** Removes older snapshots, and the segments that all remaining snapshots include. */
  async function retire(): Promise<void> {
    const { snapshots } = readFolder(folder)
    const kept = snapshots.slice(0, KEPT_GENERATIONS)
    for (const old of snapshots.slice(KEPT_GENERATIONS)) {
      assertOwned(fence)
      await rm(join(folder, fileNames.snapshot(old)), { force: true })
      await rm(join(folder, fileNames.sidecar(old)), { force: true })
    }
    const oldest = kept.length < KEPT_GENERATIONS ? undefined : readSidecar(folder, kept.at(-1) ?? 0)
    if (oldest === undefined) return
    for (const { file, sequence, end } of [...journal.closed()]) {
      if (end > oldest.transaction) break
      assertOwned(fence)
      await rm(file, { force: true })
      journal.forget(sequence)
    }
  }

  function isDue(share: number): boolean {
    const { bytes, transactions: count } = journal.appended()
    const bytesLimit = Math.max(limits.journalBytes, image.usedBytes() / 8) * share + postponed
    return (
      bytes - before.bytes >= bytesLimit || count - before.transactions >= limits.journalTransactions * share
    )
  }

  return {
    take: () => inTurn(checkpoint),
    backup: (file) => inTurn(() => make({ file })),
    async takeNow(now) {
      const transaction = journal.committed()
      writeSnapshot({ folder, generation: generation + 1, image: now, transaction, now: clock.now(), fence })
      generation += 1
      before = journal.appended()
      await retire()
    },
    consider() {
      if (isRunning || !isDue(1)) return
      isRunning = true
      inTurn(checkpoint)
        .then(
          () => {
            postponed = 0
          },
          (error: unknown) => {
            postponed += limits.journalBytes
            logger.error({ reason: messageOf(error) }, 'the checkpoint failed; the journal keeps everything')
          },
        )
        .finally(() => {
          isRunning = false
        })
    },
    isDue,
    async idle() {
      await running
    },
  }
}
