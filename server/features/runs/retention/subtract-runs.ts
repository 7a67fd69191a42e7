import type { RunsTable } from '../../../db/schema/run-columns.ts'
import type { Tx } from '../../../db/types.ts'
import type { Bus } from '../../../history/events/bus.ts'
import { createYield } from '../../../lib/async/yield.ts'
import type { Compaction } from '../statistics/rollups/compaction.ts'
import { countRun, type Deltas } from '../statistics/rollups/rollup.ts'
import { writeDeltas } from '../statistics/rollups/rollups.store.ts'
import { isInGap, subtractRuns, ttftGapOf } from '../statistics/rollups/singles.store.ts'
import type { NameDictionary } from '../store/names.store.ts'

/** A transaction with this number of runs takes about 15 ms. */
export const runsPerTransaction = 200

/** Removes rows with their part of the statistics. `remove` deletes exactly these rows. */
export async function removeCountedRuns(
  tx: Tx,
  rows: readonly RunsTable[],
  deps: {
    readonly names: NameDictionary
    readonly compaction: Pick<Compaction, 'added'>
    readonly bus: Bus
  },
  remove: () => Promise<unknown>,
): Promise<void> {
  const deltas: Deltas = new Map()
  const gap = await ttftGapOf(tx.q)
  for (const row of rows) countRun(deltas, isInGap(gap, row.id) ? { ...row, ttft_us: null } : row, -1)
  await remove()
  const nameOf = await deps.names.loadTexts(
    tx.q,
    rows.map(({ workspace }) => workspace),
  )
  const workspaceIds = [...new Set(rows.flatMap(({ workspace }) => nameOf(workspace) ?? []))]
  const added = await writeDeltas(tx.q, deltas, createYield())
  await subtractRuns(tx.q, rows)
  tx.afterCommit(() => {
    deps.compaction.added(added, 0)
    deps.bus.announce({ kind: 'runs', workspaceIds })
  })
}
