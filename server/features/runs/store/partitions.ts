import {
  countInDefault,
  ensurePartition,
  isIn,
  type Partition,
  periodOf,
} from '../../../db/dialect/partitions.ts'
import type { Db, PartitionUnit, Tx } from '../../../db/types.ts'

/** Number of periods after the current one whose partitions exist in advance. */
const ahead = 2
/** Rows of the default partition are counted up to this number. */
const maxCounted = 1_000_000

/** The partitions of the run log. An engine without partitions needs none of this. */
export type RunPartitions = {
  /** Creates the partition for a time, if it is missing. Known ones cost nothing. */
  ensure(tx: Tx, at: number): Promise<void>
  /** Creates the current partition and the next ones. Reports runs in the default partition. */
  maintain(now: Date): Promise<void>
}

const has = (partitions: readonly Partition[], at: number): boolean =>
  partitions.some((partition) => isIn(partition, at))

export function createRunPartitions(deps: {
  readonly db: Db
  readonly unit: PartitionUnit
  readonly onError: (error: unknown) => void
}): RunPartitions {
  const { db, unit, onError } = deps
  /** Partitions that this process found or created. Retention removes only those of old runs. */
  let known: readonly Partition[] = []
  /** Those of an open transaction, which may be undone. */
  const uncommitted = new WeakMap<Tx, readonly Partition[]>()
  let reported = 0

  const ensure = async (tx: Tx, at: number): Promise<void> => {
    if (has(known, at) || has(uncommitted.get(tx) ?? [], at)) return
    const partition = await ensurePartition(tx.q, at, periodOf(unit, at))
    if (partition === null) {
      known = [{ name: 'runs', from: null, to: Number.POSITIVE_INFINITY }]
      return
    }
    uncommitted.set(tx, [...(uncommitted.get(tx) ?? []), partition])
    tx.afterCommit(() => {
      known = [...known, partition]
    })
  }

  return {
    ensure,
    async maintain(now) {
      let at = now.getTime()
      for (let count = 0; count <= ahead; count += 1) {
        const time = at
        if (!has(known, time)) await db.write((tx) => ensure(tx, time), { evenWhenFull: true })
        at = periodOf(unit, time).to
      }
      const count = await countInDefault(db.read, maxCounted)
      if (count > 0 && count !== reported)
        onError(
          new Error(
            `${count} runs are in the partition runs_default, where retention removes them one by one. They belong to a time whose partition is missing: it is created when a run of that time is reported.`,
          ),
        )
      reported = count
    },
  }
}
