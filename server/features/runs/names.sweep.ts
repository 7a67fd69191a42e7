import { sql } from 'kysely'
import type { Db } from '../../db/types.ts'
import type { Gate } from './gate.ts'
import type { NameKind, Names } from './names.store.ts'

const namesPerTransaction = 500

/** The column of `runs` that uses a kind of name. Kinds without an index of their own are never removed. */
const columnOf: Partial<Record<NameKind, string>> = {
  source: 'source',
  provider: 'provider',
  model: 'model',
  workspace: 'workspace',
  ref_key: 'ref_key',
  version: 'version',
  user: 'user',
  client: 'client',
  error: 'error',
  error_type: 'error_type',
}

/**
 * Removes names that no run uses, because texts of errors would otherwise accumulate. Returns their number.
 */
export async function removeUnusedNames(deps: {
  readonly db: Db
  readonly gate: Gate
  readonly names: Names
  readonly signal: AbortSignal
}): Promise<number> {
  const { db, gate, names } = deps
  let removed = 0
  let after = 0
  while (!deps.signal.aborted) {
    const seen = await db.read
      .selectFrom('names')
      .select(['id', 'kind'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(namesPerTransaction)
      .execute()
    const last = seen.at(-1)
    if (last === undefined) break
    after = last.id
    const unused: number[] = []
    for (const { id, kind } of seen) if (!(await isUsed(db, id, kind as NameKind))) unused.push(id)
    if (unused.length > 0) {
      // Checked again inside the transaction: a run may use the name by now.
      removed += await gate.write(async () => {
        const count = await db.write(
          async (tx) => {
            let gone = 0
            for (const { id, kind } of seen) {
              if (!unused.includes(id) || (await isUsed({ read: tx.q }, id, kind as NameKind))) continue
              await tx.q.deleteFrom('name_words').where('name_id', '=', id).execute()
              await tx.q.deleteFrom('names').where('id', '=', id).execute()
              gone += 1
            }
            return gone
          },
          { evenWhenFull: true },
        )
        // Before another writer uses the cache.
        names.forget()
        return count
      })
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  return removed
}

async function isUsed(db: Pick<Db, 'read'>, id: number, kind: NameKind): Promise<boolean> {
  const column = columnOf[kind]
  if (column === undefined) return true
  const rows = await sql`select 1 from runs where ${sql.ref(column)} = ${id} limit 1`.execute(db.read)
  return rows.rows.length > 0
}
