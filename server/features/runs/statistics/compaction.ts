import type { Db } from '../../../db/types.ts'
import type { ReadWriteLock } from '../../../lib/async/read-write-lock.ts'
import { yieldNow } from '../../../lib/async/yield.ts'
import { compactCells, countPending } from './rollups.store.ts'

/**
 * Compaction: moves cells (roll-ups not yet compacted) into hours, days and months, in transactions of a few
 * milliseconds.
 */
export type Compaction = {
  /** Reports how many cells a commit added; starts compaction when there are many. */
  added(count: number): void
  /** Compacts all cells. */
  run(): Promise<void>
  /** Resolves when no compaction is running. */
  idle(): Promise<void>
}

/** Statistics read every uncompacted cell, so their number is limited. */
const maxPending = 1000
/**
 * Maximum number of cells per transaction: as many as one ingest transaction can add. Ingest and compaction
 * alternate, so compaction keeps up with any load.
 */
const cellsPerTransaction = 500

export function createCompaction(deps: {
  readonly db: Db
  readonly lock: ReadWriteLock
  readonly onError: (error: unknown) => void
}): Compaction {
  const { db, lock } = deps
  let pending: number | null = null
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
  const run = (): Promise<void> => {
    running ??= compactAll().finally(() => {
      running = null
    })
    return running
  }

  return {
    added(count) {
      if (pending === null) {
        pending = maxPending
        void countPending(db.read).then((stored) => {
          pending = stored
        }, deps.onError)
      } else pending += count
      if (pending > maxPending && running === null) run().catch(deps.onError)
    },
    run,
    async idle() {
      await running
    },
  }
}
