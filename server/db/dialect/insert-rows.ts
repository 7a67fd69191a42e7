import type { Query } from '../types.ts'
import type { Row, SqlValue } from '../values.ts'
import { type Runner, runnerOf } from './query.ts'
import { sqliteDialect } from './sqlite.ts'

/** A table with the columns to write. */
export type WrittenTable = {
  readonly name: string
  readonly columns: readonly string[]
  /** The columns of the primary key. */
  readonly key: readonly string[]
}

/**
 * Returns true if one statement with many rows is faster than one statement per row, because the database is
 * another process. In the embedded engine, a statement is a function call.
 */
export const prefersManyRows = (q: Query): boolean => runnerOf(q).dialect !== sqliteDialect

/**
 * Maximum length of a statement in characters. Longer ones are prepared again each time, see
 * engines/sqljs/sqlite/engine.ts.
 */
const maxStatementLength = 5500

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')

/**
 * Inserts many rows: objects with a value per column. A row whose key exists is replaced if `replace` is
 * true, else it is an error. SQLite gets a parameter per value. PostgreSQL gets all rows as one JSON text,
 * which it reads several times faster.
 */
export async function insertRows(
  q: Query,
  table: WrittenTable,
  rows: readonly object[],
  { replace = false } = {},
): Promise<void> {
  if (rows.length === 0) return
  const runner = runnerOf(q)
  const conflict = replace ? conflictClause(table) : ''
  await (runner.dialect === sqliteDialect
    ? insertValues(runner, table, rows as readonly Row[], conflict)
    : insertJson(runner, table, rows, conflict))
}

function conflictClause({ columns, key }: WrittenTable): string {
  const others = columns.filter((column) => !key.includes(column))
  const changes = others.map((column) => `"${column}" = excluded."${column}"`).join(', ')
  return ` on conflict (${quoted(key)}) do ${changes === '' ? 'nothing' : `update set ${changes}`}`
}

async function insertValues(
  runner: Runner,
  { name, columns }: WrittenTable,
  rows: readonly Row[],
  conflict: string,
): Promise<void> {
  const begin = `insert into "${name}" (${quoted(columns)}) values `
  const tuple = `(${columns.map(() => '?').join(',')})`
  const room = maxStatementLength - begin.length - conflict.length
  const perStatement = Math.max(1, Math.floor(room / (tuple.length + 1)))
  for (let from = 0; from < rows.length; from += perStatement) {
    const part = rows.slice(from, from + perStatement)
    const values: (SqlValue | undefined)[] = []
    for (const row of part) for (const column of columns) values.push(row[column])
    await runner.execute(`${begin}${part.map(() => tuple).join(',')}${conflict}`, values)
  }
}

async function insertJson(
  runner: Runner,
  { name, columns }: WrittenTable,
  rows: readonly object[],
  conflict: string,
): Promise<void> {
  const list = quoted(columns)
  await runner.execute(
    `insert into "${name}" (${list}) select ${list} from json_populate_recordset(null::"${name}", $1::json)${conflict}`,
    [JSON.stringify(rows)],
  )
}
