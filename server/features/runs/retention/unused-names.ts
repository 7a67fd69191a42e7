import { sql } from 'kysely'
import type { Db, Query, Tx } from '../../../db/types.ts'
import type { ReadWriteLock } from '../../../lib/async/read-write-lock.ts'
import { yieldNow } from '../../../lib/async/yield.ts'
import { indexedNames } from '../store/columns.ts'
import type { NameDictionary } from '../store/names.store.ts'

const namesPerTransaction = 500

type Name = { readonly id: number; readonly kind: string }

/**
 * Removes names that no run uses, because texts of errors would otherwise accumulate. Returns their number.
 */
export async function removeUnusedNames(deps: {
  readonly db: Db
  readonly lock: ReadWriteLock
  readonly names: NameDictionary
  readonly signal: AbortSignal
  /** True if other instances may use the ids of names from their memory: nothing is removed. */
  readonly keepsNames: boolean
}): Promise<number> {
  const { db, lock, names } = deps
  if (deps.keepsNames) return 0
  let removed = 0
  let after = 0
  while (!deps.signal.aborted) {
    const page = await pageAfter(db.read, after)
    const last = page.at(-1)
    if (last === undefined) break
    after = last.id
    const unused = await unusedOf(db.read, page)
    if (unused.length > 0) {
      removed += await lock.write(async () => {
        const count = await db.write((tx) => removeStillUnused(tx, unused), { evenWhenFull: true })
        // Clear the cache inside the lock, before another writer uses it.
        names.clearCache()
        return count
      })
    }
    await yieldNow()
  }
  return removed
}

const pageAfter = (q: Query, id: number): Promise<Name[]> =>
  q
    .selectFrom('names')
    .select(['id', 'kind'])
    .where('id', '>', id)
    .orderBy('id')
    .limit(namesPerTransaction)
    .execute()

async function unusedOf(q: Query, names: readonly Name[]): Promise<Name[]> {
  const unused: Name[] = []
  for (const name of names) if (!(await isUsed(q, name))) unused.push(name)
  return unused
}

/** Checks again inside the transaction, because a run may use a name by now. */
async function removeStillUnused({ q }: Tx, names: readonly Name[]): Promise<number> {
  const unused = await unusedOf(q, names)
  for (const { id } of unused) {
    await q.deleteFrom('name_words').where('name_id', '=', id).execute()
    await q.deleteFrom('name_members').where('name_id', '=', id).execute()
    await q.deleteFrom('names').where('id', '=', id).execute()
  }
  return unused.length
}

/** Names without an index are never removed, so they count as used. */
async function isUsed(q: Query, { id, kind }: Name): Promise<boolean> {
  if (!indexedNames.has(kind)) return true
  const found = await sql`select 1 from runs where ${sql.ref(kind)} = ${id} limit 1`.execute(q)
  return found.rows.length > 0
}
