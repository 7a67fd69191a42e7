import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '../../../../db/types.ts'
import type { ReadWriteLock } from '../../../../lib/async/read-write-lock.ts'
import { yieldNow } from '../../../../lib/async/yield.ts'
import { compactCells, countPending } from './rollups.store.ts'
import { compactRuns } from './singles.store.ts'

/**
 * Compaction: moves cells (roll-ups not yet compacted) into hours, days and months, and adds new runs to the
 * roll-ups of single dimensions, in transactions of a few milliseconds.
 */
export type Compaction = {
  /** Reports how many cells and runs a commit added; starts compaction when there are many. */
  added(cells: number, runs: number): void
  /** Compacts all cells and runs. */
  run(): Promise<void>
  /** Resolves when no compaction is running. */
  idle(): Promise<void>
}

/** Statistics read every uncompacted cell, so their number is limited. */
const maxPending = 1000
/**
 * Maximum number of runs that are not in the roll-ups of single dimensions, for the same reason. Many at once
 * share roll-ups, so that adding them takes less time.
 */
const maxPendingRuns = 4000
/**
 * Maximum number of cells per transaction: as many as one ingest transaction can add. Ingest and compaction
 * alternate, so compaction keeps up with any load.
 */
const cellsPerTransaction = 500

/**
 * Lets requests run after a step. Adding the runs from before an upgrade takes minutes. Each of its steps is
 * followed by a pause of the same length, because every statement of a request waits for an open transaction.
 */
const pause = (isUpgrade: boolean, stepMs: number): Promise<void> => (isUpgrade ? wait(stepMs) : yieldNow())

export function createCompaction(deps: {
  readonly db: Db
  readonly lock: ReadWriteLock
  readonly onError: (error: unknown) => void
  /** Stops adding runs, which continues after a restart. */
  readonly signal: AbortSignal
}): Compaction {
  const { db, lock, signal } = deps
  let pending: number | null = null
  let pendingRuns = 0
  let running: Promise<void> | null = null

  async function compactAll(): Promise<void> {
    for (;;) {
      const compacted = await lock.write(() =>
        db.write((tx) => compactCells(tx.q, cellsPerTransaction), { evenWhenFull: true }),
      )
      if (pending !== null) pending = Math.max(0, pending - compacted)
      if (compacted < cellsPerTransaction) return
      await yieldNow()
    }
  }
  async function addAllRuns(): Promise<void> {
    while (!signal.aborted) {
      const startedAt = performance.now()
      const { added, isUpgrade } = await lock.write(() =>
        db.write((tx) => compactRuns(tx.q), { evenWhenFull: true }),
      )
      pendingRuns = Math.max(0, pendingRuns - added)
      if (added === 0) return
      if (pending !== null && pending > maxPending) await compactAll()
      await pause(isUpgrade, performance.now() - startedAt)
    }
  }
  const run = (): Promise<void> => {
    running ??= compactAll()
      .then(addAllRuns)
      .finally(() => {
        running = null
      })
    return running
  }

  return {
    added(cells, runs) {
      pendingRuns += runs
      if (pending === null) {
        pending = maxPending
        void countPending(db.read).then((stored) => {
          pending = stored
        }, deps.onError)
      } else pending += cells
      if ((pending > maxPending || pendingRuns > maxPendingRuns) && running === null)
        run().catch(deps.onError)
    },
    run,
    async idle() {
      await running
    },
  }
}
