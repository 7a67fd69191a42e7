import type { Db } from '../../db/types.ts'
import type { Gate } from './gate.ts'
import { countPending, foldCells } from './rollups.store.ts'

/**
 * Compaction: moves cells (roll-ups not yet compacted) into hours, days and months, in transactions of a few
 * milliseconds.
 */
export type Folding = {
  /** Reports how many cells a commit added; starts compaction when there are many. */
  noticed(added: number): void
  /** Compacts all cells. */
  fold(): Promise<void>
  /** Resolves when no compaction is running. */
  idle(): Promise<void>
}

/** Statistics read every uncompacted cell, so their number is limited. */
const mostPending = 1000
/**
 * The most that one ingest can add, so that compaction keeps up with any load: each waits for the other in
 * turn.
 */
const cellsPerTransaction = 500

export function createFolding(deps: {
  readonly db: Db
  readonly gate: Gate
  readonly onError: (error: unknown) => void
}): Folding {
  const { db, gate } = deps
  let pending: number | null = null
  let running: Promise<void> | null = null

  async function run(): Promise<void> {
    for (;;) {
      const folded = await gate.write(() =>
        db.write((tx) => foldCells(tx.q, cellsPerTransaction), { evenWhenFull: true }),
      )
      if (pending !== null) pending = Math.max(0, pending - folded)
      if (folded < cellsPerTransaction) return
      // Yield to everything that is waiting.
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const start = (): Promise<void> => {
    running ??= run().finally(() => {
      running = null
    })
    return running
  }

  return {
    noticed(added) {
      if (pending === null) {
        pending = mostPending
        void countPending(db.read).then((count) => {
          pending = count
        }, deps.onError)
      } else pending += added
      if (pending > mostPending && running === null) start().catch(deps.onError)
    },
    fold: start,
    async idle() {
      await running
    },
  }
}
