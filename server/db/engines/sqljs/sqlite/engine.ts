import type { SqlValue } from '../../../values.ts'
import type { Image } from './memory-database.ts'
import type { SqlJsDatabase, SqlJsStatement } from './sqljs.ts'
import { excerpt, kindOf, type StatementKind } from './statement-kind.ts'

export type Row = Record<string, SqlValue>
export type Outcome = { readonly rows: Row[]; readonly changes: number }

/**
 * The only user of sql.js statements: prepares each text once, always resets, returns rows as plain objects.
 */
export type Engine = {
  readonly image: Image
  kindOf(sql: string): StatementKind
  /** Runs one statement to completion. The caller has validated the parameters. */
  execute(sql: string, parameters: readonly SqlValue[]): Outcome
  /** Runs a write and discards its rows; faster, for the replay of the journal. */
  apply(sql: string, parameters: readonly SqlValue[]): void
  begin(): void
  commit(): void
  rollback(): void
  /** Returns false if SQLite rolled the transaction back by itself. */
  isInTransaction(): boolean
  close(): void
}

type Prepared = {
  readonly statement: SqlJsStatement
  readonly kind: StatementKind
  names: readonly string[] | undefined
}

/**
 * Maximum number of prepared statements. More than the service has, so texts built per call (lists of varying
 * length) are evicted first.
 */
const KEPT_STATEMENTS = 400
/**
 * Maximum length of a cached text, in characters. A prepared multi-row INSERT occupies WASM memory, so longer
 * texts are prepared for each call.
 */
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
      // Moves the entry to the end of the map: the least recently used is first.
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
      // An unfinished RETURNING statement would make COMMIT fail.
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
        // SQLite refuses BEGIN within a transaction. sql.js offers no other way to find out.
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

/**
 * Adds the statement to an error. sql.js throws strings for its own errors and plain errors for those of
 * SQLite.
 */
function readable(error: unknown, sql: string): Error {
  if (error instanceof Error && error.name === 'RuntimeError') return error
  const message = error instanceof Error ? error.message : String(error)
  return Object.assign(new Error(`${message} · ${excerpt(sql)}`, { cause: error }), { sqlite: message })
}

/** Returns true if `error` is a UNIQUE violation of `column`, such as `users.username_folded`. */
export function isUniqueViolation(error: unknown, column?: string): boolean {
  const message = error instanceof Error && 'sqlite' in error ? String(error.sqlite) : ''
  return message.startsWith('UNIQUE constraint failed') && (column === undefined || message.includes(column))
}
