import type { Db } from '../db/types.ts'
import type { Clock } from '../lib/clock.ts'
import { dayMs } from '../lib/durations.ts'
import { putValue, removeExpiredValues, removeValue, valuesOf } from './shared-values.store.ts'

/** The newest result of each name, which all instances read. Stored as JSON, so `T` must be a JSON type. */
export type NamedResults<T> = {
  /** Stores a result for a day. */
  put(name: string, result: T): Promise<void>
  remove(name: string): Promise<void>
  all(): Promise<ReadonlyMap<string, T>>
}

/** Creates the shared results of one kind, which `scope` names. */
export function createNamedResults<T>(deps: {
  readonly db: Db
  readonly clock: Clock
  readonly scope: string
}): NamedResults<T> {
  const { db, clock, scope } = deps
  return {
    put: (name, result) =>
      db.write(
        async ({ q }) => {
          const now = clock.now().getTime()
          await removeExpiredValues(q, { now })
          await putValue(q, { scope, name, value: JSON.stringify(result), expiresAt: now + dayMs })
        },
        { evenWhenFull: true },
      ),
    remove: (name) =>
      db.write(async ({ q }) => void (await removeValue(q, { scope, name })), { evenWhenFull: true }),
    async all() {
      const rows = await valuesOf(db.read, { scope, now: clock.now().getTime() })
      // `put` wrote the value.
      return new Map(rows.map(({ name, value }) => [name, JSON.parse(value) as T]))
    },
  }
}
