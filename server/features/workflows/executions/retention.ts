import type { Db } from '../../../db/types.ts'
import { dayMs, minuteMs } from '../../../lib/durations.ts'
import type { DeletionClock } from '../../../retention/deletion-clock.ts'
import { executionStore } from './executions.store.ts'

const intervalMs = minuteMs
const batchSize = 100

/** Deletes executions at the same age as runs. */
export function startExecutionRetention(deps: {
  readonly db: Db
  readonly deletion: Pick<DeletionClock, 'now'>
  readonly days: () => number
  readonly onError: (error: unknown) => void
}) {
  const { db, deletion, days, onError } = deps
  let isEnding = false
  let running: Promise<void> = Promise.resolve()

  const apply = async (): Promise<void> => {
    const now = deletion.now()
    if (now === null) return
    const before = now.getTime() - days() * dayMs
    for (;;) {
      if (isEnding) return
      const removed = await db.write((tx) => executionStore.removeOld(tx.q, before, batchSize), {
        evenWhenFull: true,
      })
      if (removed < batchSize) return
    }
  }
  const applyNext = () => {
    running = running.then(apply).catch(onError)
  }
  const timer = setInterval(applyNext, intervalMs)
  timer.unref()
  applyNext()
  return {
    /** Resolves when no deletion is in progress. */
    async idle(): Promise<void> {
      await running
    },
    async close(): Promise<void> {
      isEnding = true
      clearInterval(timer)
      await running
    },
  }
}
