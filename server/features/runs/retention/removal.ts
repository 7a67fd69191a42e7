import type { Db } from '../../../db/types.ts'
import type { Bus } from '../../../history/events/bus.ts'
import type { History } from '../../../history/history.ts'
import type { ReadWriteLock } from '../../../lib/async/read-write-lock.ts'
import { yieldNow } from '../../../lib/async/yield.ts'
import type { Context } from '../../../lib/context.ts'
import type { NameDictionary } from '../store/names.store.ts'
import { runStore } from '../store/runs.store.ts'
import { removeCountedRuns, runsPerTransaction } from './subtract-runs.ts'
import { removeUnusedNames } from './unused-names.ts'

type Deps = {
  readonly db: Db
  readonly lock: ReadWriteLock
  readonly names: NameDictionary
  readonly bus: Bus
  readonly history: History
  readonly signal: AbortSignal
  readonly keepsNames?: boolean
}

/** Removal of runs that one program reported, such as sample data. */
export type RunRemoval = {
  /** Counts the runs whose `client_run_id` begins with a prefix. */
  count(prefix: string): Promise<number>
  /**
   * Removes them with their part of the statistics and sessions, and records one audit entry with `summary`.
   * Returns their number. After an interruption, a second call removes the rest.
   */
  remove(ctx: Context, prefix: string, summary: (count: number) => string): Promise<number>
}

export function createRunRemoval(deps: Deps): RunRemoval {
  const { db, lock, signal, keepsNames = false } = deps

  /** Removes the next runs. `summary`: of the audit entry; null: recorded before. */
  const removeBatch = (ctx: Context, prefix: string, summary: string | null): Promise<number> =>
    lock.write(() =>
      db.write(
        async (tx) => {
          const rows = await runStore.reportedUnder(tx.q, { prefix, limit: runsPerTransaction })
          if (rows.length === 0) return 0
          await removeCountedRuns(tx, rows, deps, async () => {
            for (const { id } of rows) await runStore.removeById(tx.q, { id })
          })
          if (summary !== null)
            await deps.history.record(tx, ctx, {
              action: 'delete',
              resource: 'run',
              resourceId: null,
              key: null,
              summary,
            })
          return rows.length
        },
        { evenWhenFull: true },
      ),
    )

  return {
    count: (prefix) => runStore.countReportedUnder(db.read, prefix),
    async remove(ctx, prefix, summary) {
      const expected = await runStore.countReportedUnder(db.read, prefix)
      let removed = 0
      while (!signal.aborted) {
        const count = await removeBatch(ctx, prefix, removed === 0 ? summary(expected) : null)
        removed += count
        if (count < runsPerTransaction) break
        await yieldNow()
      }
      if (removed > 0) await removeUnusedNames({ db, lock, names: deps.names, signal, keepsNames })
      return removed
    },
  }
}
