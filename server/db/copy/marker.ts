import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { StoreError } from '../errors.ts'
import type { Db, Query } from '../types.ts'

/** Key in `meta` while a copy into this store is unfinished. Its value identifies the source. */
export const markerKey = 'unfinished_copy'

/** Returns the value of the marker; null if no copy into this store is unfinished. */
export async function readMarker(q: Query): Promise<number | null> {
  const row = await q.selectFrom('meta').select('value').where('key', '=', markerKey).executeTakeFirst()
  return row?.value ?? null
}

/** Throws if a copy into this store is unfinished: a service must not use a part of the data. */
export async function refuseUnfinishedCopy({ read }: Pick<Db, 'read'>, where: string): Promise<void> {
  if ((await readMarker(read)) === null) return
  throw new StoreError(
    'incomplete',
    `A copy into ${where} has not finished, so it contains only a part of the data. Run "promptdeck db copy" again with the same options to continue it.`,
  )
}

export const removeMarker = (db: Db): Promise<void> =>
  db.write(async ({ q }) => void (await q.deleteFrom('meta').where('key', '=', markerKey).execute()))

/**
 * Returns a number that identifies a source and its state: it changes with every run, event and audit entry.
 * `identity` is the id of the store with the version of its schema.
 */
export async function fingerprintOf(q: Query, identity: string): Promise<number> {
  const counters = await q.selectFrom('meta').selectAll().orderBy('key').execute()
  const head = await q
    .selectFrom('audit')
    .select(['id', 'hash'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const state = JSON.stringify([identity, counters.map(({ key, value }) => [key, value]), head ?? null])
  return hash('sha256', state, 'buffer').readUIntBE(0, 6)
}

/** Returns true if no service has used the store yet: each creates an account and an audit entry. */
export async function isUnused(q: Query): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`select 1 as found where exists (select 1 from users)
    or exists (select 1 from audit) or exists (select 1 from runs)`.execute(q)
  return rows.length === 0
}
