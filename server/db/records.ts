import { createMutex } from '../lib/async/mutex.ts'
import type { Db, Tx, WriteOptions } from './types.ts'

/** Short-lived records by id, which change in transactions of the store. A record is replaced, never changed in place. */
export type Records<T> = {
  /** Returns all records, ordered by id. */
  all(): Promise<ReadonlyMap<string, T>>
  /**
   * Runs a change while no other one runs. What `work` does to the map takes effect if its transaction commits. `work`
   * can run more than once, each time with the current records.
   */
  change<R>(work: (records: Map<string, T>, tx: Tx) => Promise<R>, options?: WriteOptions): Promise<R>
}

/** Creates records in memory: a restart removes them. They stay in the order in which they were added. */
export function createRecords<T>(db: Pick<Db, 'write'>): Records<T> {
  let current: ReadonlyMap<string, T> = new Map()
  // A commit takes effect here after it is on disk, when the next transaction may already run.
  const mutex = createMutex()
  return {
    all: async () => current,
    change: (work, options) =>
      mutex.run(() =>
        db.write((tx) => {
          const changed = new Map(current)
          // Registered first, so that listeners to the events of `work` find the changed records.
          tx.afterCommit(() => {
            current = changed
          })
          return work(changed, tx)
        }, options),
      ),
  }
}
