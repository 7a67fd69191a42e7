import { sql } from 'kysely'
import type { PayloadDaysTable, PayloadsTable } from '../../../../db/schema/runs.ts'
import type { Query } from '../../../../db/types.ts'

/* The tables of payloads. PostgreSQL only: the embedded engine has files. */

/** A row to insert. `terms`: the words of the search index; null for a payload that is not searched. */
export type NewPayload = PayloadsTable & { readonly terms: readonly string[] | null }
export type StoredLine = Pick<PayloadsTable, 'day' | 'start' | 'length' | 'line' | 'object' | 'object_start'>

const tableOf = (day: number) => sql.table(`payloads_${Math.trunc(day)}`)

export const payloadStore = {
  days: (q: Query): Promise<PayloadDaysTable[]> =>
    q.selectFrom('payload_days').selectAll().orderBy('day').execute(),

  /** Adds a day with its partition, unless it exists. Returns false if it does. */
  async addDay(q: Query, day: number, bytes: number): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await q
      .insertInto('payload_days')
      .values({ day, bytes, imported: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows !== 1n) return false
    await sql`create table ${tableOf(day)} partition of payloads for values in (${sql.lit(day)})`.execute(q)
    return true
  },

  setBytes: (q: Query, day: number, bytes: number) =>
    q.updateTable('payload_days').set({ bytes }).where('day', '=', day).execute(),

  setImported: (q: Query, day: number, imported: number) =>
    q.updateTable('payload_days').set({ imported }).where('day', '=', day).execute(),

  /** Removes a day with its payloads and their words. */
  async removeDay(q: Query, day: number): Promise<void> {
    await sql`drop table if exists ${tableOf(day)}`.execute(q)
    await q.deleteFrom('payload_days').where('day', '=', day).execute()
  },

  /** Inserts payloads. Existing rows are not changed. */
  async insert(q: Query, rows: readonly NewPayload[]): Promise<void> {
    if (rows.length === 0) return
    await sql`insert into payloads (day, start, length, line, object, object_start, run_id, run_at, words)
      select day, start, length, line, object, object_start, run_id, run_at, array_to_tsvector(terms)
      from json_to_recordset(${JSON.stringify(rows)}::json) as added (day bigint, start bigint, length bigint, line text,
        object text, object_start bigint, run_id bigint, run_at bigint, terms text[])
      on conflict (day, start) do nothing`.execute(q)
  },

  /** Returns the lines at these locations, in no particular order. */
  async lines(
    q: Query,
    locations: readonly { readonly day: number; readonly offset: number }[],
  ): Promise<readonly StoredLine[]> {
    if (locations.length === 0) return []
    const { rows } = await sql<StoredLine>`select day, start, length, line, object, object_start from payloads
      where (day, start) in (${sql.join(locations.map(({ day, offset }) => sql`(${sql.lit(day)}, ${sql.lit(offset)})`))})`.execute(
      q,
    )
    return rows
  },

  /** Returns lines of a day in the order of their offsets, from one offset. */
  linesFrom: (q: Query, day: number, start: number, limit: number): Promise<StoredLine[]> =>
    q
      .selectFrom('payloads')
      .select(['day', 'start', 'length', 'line', 'object', 'object_start'])
      .where('day', '=', day)
      .where('start', '>=', start)
      .orderBy('start')
      .limit(limit)
      .execute(),
}
