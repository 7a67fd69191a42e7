import { sql } from 'kysely'
import type { Query } from '../types.ts'
import { eitherForm } from './either-form.ts'

/**
 * Makes the ids that the engine assigns continue after those in the table. SQLite does so by itself.
 * PostgreSQL takes them from a sequence, if the column has one.
 */
export async function syncIdentity(
  q: Query,
  { name, key }: { readonly name: string; readonly key: readonly string[] },
): Promise<void> {
  const [column] = key
  if (column === undefined || key.length > 1) return
  const sequence = sql`pg_get_serial_sequence(${sql.lit(name)}, ${sql.lit(column)})`
  // The cast is for ids that are texts: they have no sequence, but PostgreSQL checks the types of the branch.
  const last = sql`(select max(${sql.ref(column)})::text::bigint from ${sql.table(name)})`
  await sql`select ${eitherForm({
    sqlite: sql`0`,
    postgres: sql`case when ${sequence} is not null then setval(${sequence}, coalesce(${last}, 0) + 1, false) end`,
  })} as next_id`.execute(q)
}
