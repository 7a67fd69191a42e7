import type { Image } from './image.ts'
import type { SqlJsDatabase, SqlJsStatement } from './sqljs.ts'
import { excerpt, kindOf, type StatementKind } from './statement-kind.ts'
import type { SqlValue } from './values.ts'

export type Row = Record<string, SqlValue>
export type Outcome = { readonly rows: Row[]; readonly changes: number }

/** The only caller of sql.js statements: prepared once, always reset, rows as plain objects. */
export type Engine = {
  readonly image: Image
  kindOf(sql: string): StatementKind
  /** Runs one statement to its end. Parameters have been checked by the caller. */
  execute(sql: string, parameters: readonly SqlValue[]): Outcome
  /** Runs a write without collecting anything: the hot path of replay. */
  apply(sql: string, parameters: readonly SqlValue[]): void
  begin(): void
  commit(): void
  rollback(): void
  /** False when SQLite ended the transaction by itself. */
  isInTransaction(): boolean
  close(): void
}

type Prepared = {
  readonly statement: SqlJsStatement
  readonly kind: StatementKind
  names: readonly string[] | undefined
}

/** More texts than the service has; a text made anew each time (a list of varying length) falls out again. */
const KEPT_STATEMENTS = 400
/** A cached multi-row INSERT keeps WASM memory for each of its sizes for good, so long texts are never kept. */
const LONGEST_KEPT_TEXT = 6000

export function createEngine(image: Image): Engine {
  const { db } = image
  const cache = new Map<string, Prepared>()
  const kinds = new Map<string, StatementKind>()
  const begin = db.prepare('BEGIN')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')

  function kind(sql: string): StatementKind {
    const known = cache.get(sql)?.kind ?? kinds.get(sql)
    if (known !== undefined) return known
    const found = kindOf(sql)
    if (kinds.size > KEPT_STATEMENTS) kinds.clear()
    kinds.set(sql, found)
    return found
  }

  function take(sql: string): Prepared {
    const known = cache.get(sql)
    if (known !== undefined) {
      // Moves it to the young end.
      cache.delete(sql)
      cache.set(sql, known)
      return known
    }
    const prepared: Prepared = { statement: prepare(db, sql), kind: kind(sql), names: undefined }
    if (sql.length > LONGEST_KEPT_TEXT) return prepared
    cache.set(sql, prepared)
    if (cache.size > KEPT_STATEMENTS) {
      const [oldest] = cache
      if (oldest !== undefined) {
        oldest[1].statement.free()
        cache.delete(oldest[0])
      }
    }
    return prepared
  }

  function using<T>(sql: string, work: (prepared: Prepared) => T): T {
    const prepared = take(sql)
    try {
      return work(prepared)
    } catch (error) {
      throw readable(error, sql)
    } finally {
      // RETURNING that was not stepped to its end would make COMMIT fail.
      if (sql.length > LONGEST_KEPT_TEXT) prepared.statement.free()
      else prepared.statement.reset()
    }
  }

  return {
    image,
    kindOf: kind,
    execute: (sql, parameters) =>
      using(sql, (prepared) => {
        const { statement } = prepared
        if (parameters.length > 0) statement.bind(parameters as SqlValue[])
        const rows: Row[] = []
        if (statement.step()) {
          prepared.names ??= statement.getColumnNames()
          do rows.push(toRow(prepared.names, statement.get()))
          while (statement.step())
        }
        return { rows, changes: prepared.kind === 'write' ? db.getRowsModified() : 0 }
      }),
    apply(sql, parameters) {
      using(sql, ({ statement }) => {
        if (parameters.length > 0) statement.bind(parameters as SqlValue[])
        while (statement.step());
      })
    },
    begin: () => step(begin, 'BEGIN'),
    commit: () => step(commit, 'COMMIT'),
    rollback: () => step(rollback, 'ROLLBACK'),
    isInTransaction() {
      try {
        step(begin, 'BEGIN')
      } catch {
        // "cannot start a transaction within a transaction": sql.js offers no other way to ask.
        return true
      }
      step(rollback, 'ROLLBACK')
      return false
    },
    close() {
      cache.clear()
      image.close()
    },
  }
}

function toRow(names: readonly string[], values: readonly SqlValue[]): Row {
  const row: Row = {}
  for (let index = 0; index < names.length; index += 1) {
    row[names[index] as string] = values[index] as SqlValue
  }
  return row
}

function prepare(db: SqlJsDatabase, sql: string): SqlJsStatement {
  try {
    return db.prepare(sql)
  } catch (error) {
    throw readable(error, sql)
  }
}

function step(statement: SqlJsStatement, sql: string): void {
  try {
    statement.step()
  } catch (error) {
    throw readable(error, sql)
  } finally {
    statement.reset()
  }
}

/** sql.js throws strings for its own refusals and bare errors for SQLite's; both get the statement they belong to. */
function readable(error: unknown, sql: string): Error {
  if (error instanceof Error && error.name === 'RuntimeError') return error
  const message = error instanceof Error ? error.message : String(error)
  return Object.assign(new Error(`${message} · ${excerpt(sql)}`, { cause: error }), { sqlite: message })
}

/** True when `error` is SQLite refusing a second row: `isUniqueViolation(error, 'users.username_folded')`. */
export function isUniqueViolation(error: unknown, column?: string): boolean {
  const message = error instanceof Error && 'sqlite' in error ? String(error.sqlite) : ''
  return message.startsWith('UNIQUE constraint failed') && (column === undefined || message.includes(column))
}
