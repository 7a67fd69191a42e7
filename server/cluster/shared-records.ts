import type { Records } from '../db/records.ts'
import type { Db, Query } from '../db/types.ts'
import type { Clock } from '../lib/clock.ts'
import { dayMs } from '../lib/durations.ts'
import type { Vault } from '../secrets/vault.ts'
import { putValue, removeExpiredValues, removeValue, valuesOf } from './shared-values.store.ts'

type Deps = {
  readonly db: Db
  readonly vault: Vault
  readonly clock: Clock
  /** Names the kind of records. */
  readonly scope: string
}

/**
 * Creates records that all instances share. They are encrypted, because they contain secrets. They are stored
 * as JSON, so `T` must be a JSON type. A record that is not replaced for a day is removed.
 */
export function createSharedRecords<T>(deps: Deps): Records<T> {
  const { db, clock, scope } = deps
  return {
    all: () => load(deps, db.read),
    change: (work, options) =>
      db.write(async (tx) => {
        const { q } = tx
        const before = await load<T>(deps, q)
        const records = new Map(before)
        const result = await work(records, tx)
        const now = clock.now().getTime()
        await removeExpiredValues(q, { now })
        for (const [name, record] of records) {
          if (record === before.get(name)) continue
          const value = await deps.vault.seal(name, scope, JSON.stringify(record))
          await putValue(q, { scope, name, value, expiresAt: now + dayMs })
        }
        for (const name of before.keys()) if (!records.has(name)) await removeValue(q, { scope, name })
        return result
      }, options),
  }
}

async function load<T>({ vault, clock, scope }: Deps, q: Query): Promise<ReadonlyMap<string, T>> {
  const rows = await valuesOf(q, { scope, now: clock.now().getTime() })
  const records = new Map<string, T>()
  for (const { name, value } of rows.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const opened = vault.open(name, scope, value)
    // A record whose key was replaced since is lost. `change` wrote the value.
    if ('text' in opened) records.set(name, JSON.parse(opened.text) as T)
  }
  return records
}
