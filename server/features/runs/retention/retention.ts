import { type Partition, partitionsOf } from '../../../db/dialect/partitions.ts'
import type { Db } from '../../../db/types.ts'
import type { Bus } from '../../../history/events/bus.ts'
import type { ReadWriteLock } from '../../../lib/async/read-write-lock.ts'
import { yieldNow } from '../../../lib/async/yield.ts'
import { dayMs } from '../../../lib/durations.ts'
import type { DeletionClock } from '../../../retention/deletion-clock.ts'
import type { Payloads } from '../payloads/payload-files.ts'
import type { Compaction } from '../statistics/rollups/compaction.ts'
import type { NameDictionary } from '../store/names.store.ts'
import type { RunPartitions } from '../store/partitions.ts'
import { runStore } from '../store/runs.store.ts'
import type { RunSettings } from '../store/settings.ts'
import { dropPartition } from './partitions.store.ts'
import { removeCountedRuns, runsPerTransaction } from './subtract-runs.ts'
import { removeUnusedNames } from './unused-names.ts'

export type Retention = {
  /**
   * Removes every run past its age, with its part of the statistics. Returns their number; 0 while deletion
   * is paused.
   */
  apply(): Promise<number>
}

/**
 * Returns the time before which runs are removed one by one. Those in the partition of a single day wait until the whole
 * day has expired, because dropping it costs almost nothing.
 */
const rowsExpireBefore = (partitions: readonly Partition[], before: number): number => {
  const waiting = partitions.find(
    ({ from, to }) => from !== null && to - from <= dayMs && from <= before && before < to,
  )
  return waiting?.from ?? before
}

type RetentionDeps = {
  readonly db: Db
  readonly lock: ReadWriteLock
  readonly names: NameDictionary
  readonly bus: Bus
  readonly compaction: Compaction
  readonly payloads: Payloads
  readonly partitions: Pick<RunPartitions, 'maintain'>
  readonly deletion: Pick<DeletionClock, 'now'>
  readonly settings: () => RunSettings
  readonly signal: AbortSignal
  readonly isResponsible?: () => boolean
  readonly keepsNames?: boolean
}

export function createRetention(deps: RetentionDeps): Retention {
  const { db, lock, deletion, compaction, isResponsible = () => true, keepsNames = false } = deps
  const dropExpired = (partition: Partition) => dropPartitionOf(deps, partition)

  async function removeBatch(before: number): Promise<number> {
    return lock.write(() =>
      db.write(
        async (tx) => {
          const rows = await runStore.oldestBefore(tx.q, { before, limit: runsPerTransaction })
          const last = rows.at(-1)
          if (last === undefined) return 0
          await removeCountedRuns(tx, rows, deps, () =>
            runStore.removeUpTo(tx.q, { created_at: last.created_at, id: last.id }),
          )
          return rows.length
        },
        { evenWhenFull: true },
      ),
    )
  }

  async function dropPartitions(partitions: readonly Partition[], before: number): Promise<number> {
    let removed = 0
    for (const partition of partitions) {
      if (partition.to > before || deps.signal.aborted) continue
      removed += await dropExpired(partition)
      await yieldNow()
    }
    return removed
  }

  async function removeRuns(before: number): Promise<number> {
    const partitions = await partitionsOf(db.read)
    let removed = await dropPartitions(partitions, before)
    const rowsBefore = rowsExpireBefore(partitions, before)
    while (!deps.signal.aborted) {
      const count = await removeBatch(rowsBefore)
      removed += count
      if (count < runsPerTransaction) break
      await yieldNow()
    }
    return removed
  }

  /** Maintains the rows. Returns the number of runs removed. */
  async function maintainRows(now: Date | null): Promise<number> {
    if (now !== null) await deps.partitions.maintain(now)
    const { runRetentionDays } = deps.settings()
    const removed = now === null ? 0 : await removeRuns(now.getTime() - runRetentionDays * dayMs)
    if (!deps.signal.aborted) await compaction.run()
    if (removed > 0 && !deps.signal.aborted)
      await removeUnusedNames({ db, lock, names: deps.names, signal: deps.signal, keepsNames })
    return removed
  }

  return {
    async apply() {
      const now = deletion.now()
      const removed = isResponsible() ? await maintainRows(now) : 0
      // Every instance does this, because captured texts may be its own files.
      if (now !== null) await deps.payloads.prune(now)
      return removed
    },
  }
}

/** Removes a partition whose runs have all expired. Returns the number of its runs. */
const dropPartitionOf = (
  { db, lock, names, bus }: Pick<RetentionDeps, 'db' | 'lock' | 'names' | 'bus'>,
  partition: Partition,
): Promise<number> =>
  lock.write(() =>
    db.write(
      async (tx) => {
        const { count, workspaces } = await dropPartition(tx.q, partition)
        const nameOf = await names.loadTexts(tx.q, workspaces)
        const workspaceIds = workspaces.flatMap((id) => nameOf(id) ?? [])
        tx.afterCommit(() => bus.announce({ kind: 'runs', workspaceIds }))
        return count
      },
      { evenWhenFull: true, isLong: true },
    ),
  )
