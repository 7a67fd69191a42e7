import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '../../../../db/types.ts'
import type { ReadWriteLock } from '../../../../lib/async/read-write-lock.ts'
import { yieldNow } from '../../../../lib/async/yield.ts'
import { addRuns, countUncounted } from './counted-runs.store.ts'

/** Compaction: adds new runs to the roll-ups, in transactions of a few milliseconds. */
export type Compaction = {
  /** Counts the runs that an earlier process left. */
  start(): Promise<void>
  /** Reports how many runs a commit added; starts compaction when there are many. */
  added(runs: number): void
  /** Adds all runs. */
  run(): Promise<void>
  /** Resolves when no compaction is running. */
  idle(): Promise<void>
}

/**
 * Statistics read every run that is not in the roll-ups, so their number is limited. Many at once share roll-ups, so
 * that adding them takes less time.
 */
const maxPending = 2000

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
  let pending = 0
  let running: Promise<void> | null = null

  async function addAll(): Promise<void> {
    while (!signal.aborted) {
      const startedAt = performance.now()
      const { added, isEnd, isUpgrade } = await lock.write(() =>
        db.write((tx) => addRuns(tx.q), { evenWhenFull: true }),
      )
      pending = Math.max(0, pending - added)
      if (isEnd) return
      await pause(isUpgrade, performance.now() - startedAt)
    }
  }
  const run = (): Promise<void> => {
    running ??= addAll().finally(() => {
      running = null
    })
    return running
  }

  const added = (runs: number): void => {
    pending += runs
    if (pending > maxPending && running === null) run().catch(deps.onError)
  }

  return {
    start: async () => added(await countUncounted(db.read, maxPending + 1)),
    added,
    run,
    async idle() {
      await running
    },
  }
}
