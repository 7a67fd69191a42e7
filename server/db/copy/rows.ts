import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Query } from '../types.ts'
import type { Row, SqlValue } from '../values.ts'
import { markerKey } from './marker.ts'
import type { CopiedTable } from './tables.ts'

export type Key = readonly SqlValue[]

/** Size of a page that is quick to write and small in memory, in bytes. */
const pageBytes = 1024 * 1024
const firstPageRows = 100
const maxPageRows = 2000

export const keyOf = ({ key }: CopiedTable, row: Row): Key => key.map((column) => row[column] ?? null)

const columnList = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)))

/** Returns the next rows in the order of the key, without the marker of a copy. */
export async function readPage(
  q: Query,
  table: CopiedTable,
  after: Key | null,
  limit: number,
): Promise<readonly Row[]> {
  const key = columnList(table.key)
  const conditions = [
    ...withoutMarker(table),
    ...(after === null ? [] : [sql<SqlBool>`(${key}) > (${sql.join(after)})`]),
  ]
  const { rows } = await sql<Row>`select ${columnList(table.columns)} from ${sql.table(table.name)}
    ${where(conditions)} order by ${key} limit ${sql.lit(limit)}`.execute(q)
  return rows.map(withoutNul)
}

/** Replaces NUL with U+FFFD: PostgreSQL cannot store it, and has U+FFFD in new texts too. */
function withoutNul(row: Row): Row {
  if (!Object.values(row).some((value) => typeof value === 'string' && value.includes('\0'))) return row
  const entries = Object.entries(row).map(([column, value]) => [
    column,
    typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value,
  ])
  return Object.fromEntries(entries)
}

const withoutMarker = ({ name }: CopiedTable): RawBuilder<SqlBool>[] =>
  name === 'meta' ? [sql<SqlBool>`key <> ${markerKey}`] : []

const where = (conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<unknown> =>
  conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`

/** Returns the highest key in a table; null without rows. */
export async function lastKey(q: Query, table: CopiedTable): Promise<Key | null> {
  const descending = sql.join(table.key.map((column) => sql`${sql.ref(column)} desc`))
  const { rows } = await sql<Row>`select ${columnList(table.key)} from ${sql.table(table.name)}
    ${where(withoutMarker(table))} order by ${descending} limit 1`.execute(q)
  const [row] = rows
  return row === undefined ? null : keyOf(table, row)
}

export async function countRows(q: Query, { name }: CopiedTable): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}`.execute(q)
  return rows[0]?.n ?? 0
}

const sizeOf = (value: SqlValue | undefined): number => (typeof value === 'string' ? value.length : 8)

/** Adapts the number of rows per page to their size: some have texts of hundreds of kilobytes. */
export function createPageSize(): { rows(): number; note(page: readonly Row[]): void } {
  let rows = firstPageRows
  return {
    rows: () => rows,
    note(page) {
      if (page.length === 0) return
      let bytes = 0
      for (const row of page) for (const value of Object.values(row)) bytes += sizeOf(value)
      const fitting = Math.floor((pageBytes * page.length) / Math.max(bytes, 1))
      rows = Math.max(1, Math.min(maxPageRows, fitting, rows * 4))
    },
  }
}
