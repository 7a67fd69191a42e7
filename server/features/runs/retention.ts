import type { Db } from '../../db/types.ts'
import type { Bus } from '../../history/bus.ts'
import type { DeletionClock } from '../../retention/deletion-clock.ts'
import { createBreath } from './breath.ts'
import { dayMs } from './calendar.ts'
import type { Folding } from './folding.ts'
import type { Gate } from './gate.ts'
import type { RunSettings } from './intake.ts'
import type { Names } from './names.store.ts'
import { removeUnusedNames } from './names.sweep.ts'
import type { Payloads } from './payloads.ts'
import { countRun, type Deltas, writeDeltas } from './rollups.store.ts'
import { runStore } from './runs.store.ts'

export type Retention = {
  /**
   * Removes every run past its age, with its part of the statistics. Returns their number; 0 while deletion
   * is paused.
   */
  apply(): Promise<number>
}

/** A transaction with this number of runs takes about 15 ms. */
const runsPerTransaction = 200

export function createRetention(deps: {
  readonly db: Db
  readonly gate: Gate
  readonly names: Names
  readonly bus: Bus
  readonly folding: Folding
  readonly payloads: Payloads
  readonly deletion: Pick<DeletionClock, 'now'>
  readonly settings: () => RunSettings
  readonly signal: AbortSignal
}): Retention {
  const { db, gate, bus, deletion, folding } = deps

  async function removeSome(before: number): Promise<number> {
    return gate.write(() =>
      db.write(
        async (tx) => {
          const rows = await runStore.oldestBefore(tx.q, { before, limit: runsPerTransaction })
          const last = rows.at(-1)
          if (last === undefined) return 0
          const deltas: Deltas = new Map()
          for (const row of rows) countRun(deltas, row, -1)
          await runStore.removeUpTo(tx.q, { created_at: last.created_at, id: last.id })
          const added = await writeDeltas(tx.q, deltas, createBreath())
          tx.afterCommit(() => {
            folding.noticed(added)
            bus.announce({ kind: 'runs' })
          })
          return rows.length
        },
        { evenWhenFull: true },
      ),
    )
  }

  return {
    async apply() {
      const { runRetentionDays } = deps.settings()
      const now = deletion.now()
      if (now === null) {
        if (!deps.signal.aborted) await folding.fold()
        return 0
      }
      const before = now.getTime() - runRetentionDays * dayMs
      let removed = 0
      while (!deps.signal.aborted) {
        const count = await removeSome(before)
        removed += count
        if (count < runsPerTransaction) break
        await new Promise((resolve) => setImmediate(resolve))
      }
      if (!deps.signal.aborted) await folding.fold()
      if (removed > 0 && !deps.signal.aborted) {
        await removeUnusedNames({ db, gate, names: deps.names, signal: deps.signal })
      }
      await deps.payloads.prune(now)
      return removed
    },
  }
}
