import type { RunsTable } from '../../../db/schema/run-columns.ts'
import type { Tx } from '../../../db/types.ts'
import type { Bus } from '../../../history/events/bus.ts'
import { subtractRuns } from '../statistics/rollups/counted-runs.store.ts'
import type { NameDictionary } from '../store/names.store.ts'

/** A transaction with this number of runs takes about 15 ms. */
export const runsPerTransaction = 200

/** Removes rows with their part of the statistics. `remove` deletes exactly these rows. */
export async function removeCountedRuns(
  tx: Tx,
  rows: readonly RunsTable[],
  deps: { readonly names: NameDictionary; readonly bus: Bus },
  remove: () => Promise<unknown>,
): Promise<void> {
  await remove()
  const nameOf = await deps.names.loadTexts(
    tx.q,
    rows.map(({ workspace }) => workspace),
  )
  const workspaceIds = [...new Set(rows.flatMap(({ workspace }) => nameOf(workspace) ?? []))]
  await subtractRuns(tx.q, rows)
  tx.afterCommit(() => deps.bus.announce({ kind: 'runs', workspaceIds }))
}
