import type { Db } from '../../db/types.ts'
import type { Clock } from '../../lib/clock.ts'
import { executionStore } from './executions.store.ts'

const dayMs = 24 * 3_600_000
const everyMs = 60_000
const perTransaction = 100

/** Executions live as long as the runs they made. */
export function startExecutionRetention(deps: {
  readonly db: Db
  readonly clock: Clock
  readonly days: () => number
  readonly onError: (error: unknown) => void
}) {
  const { db, clock, days, onError } = deps
  let isEnding = false
  let running: Promise<void> = Promise.resolve()

  const apply = async (): Promise<void> => {
    const before = clock.now().getTime() - days() * dayMs
    for (;;) {
      if (isEnding) return
      const removed = await db.write((tx) => executionStore.removeOld(tx.q, before, perTransaction), {
        evenWhenFull: true,
      })
      if (removed < perTransaction) return
    }
  }
  const soon = () => {
    running = running.then(apply).catch(onError)
  }
  const timer = setInterval(soon, everyMs)
  timer.unref()
  soon()
  return {
    async close(): Promise<void> {
      isEnding = true
      clearInterval(timer)
      await running
    },
  }
}
