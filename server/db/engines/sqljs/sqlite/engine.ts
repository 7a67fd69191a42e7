import { messageOf } from '../../../../lib/text/message-of.ts'
import { emptyRecord } from '../../../empty-record.ts'
import { excerpt, kindOf, type StatementKind } from '../../../statement-kind.ts'
import type { Outcome, Row, SqlValue } from '../../../values.ts'
import type { MemoryDatabase } from './memory-database.ts'
import type { SqlJsDatabase, SqlJsStatement } from './sqljs.ts'

/**
 * Runs statements. Prepares each text once, always resets it, and returns rows as plain objects. No other
 * module uses statements of sql.js.
 */
export type Engine = {
  readonly database: MemoryDatabase
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
  columns: Columns | undefined
}

/** The names of the columns of a statement, and a row without values. */
type Columns = { readonly names: readonly string[]; readonly empty: Row }

/**
 * Maximum number of prepared statements. More than the service has, so texts built per call (lists of varying
 * length) are evicted first.
 */
const MAX_CACHED_STATEMENTS = 400
/**
 * Maximum length of a cached text, in characters. A prepared multi-row INSERT occupies WASM memory, so longer
 * texts are prepared for each call.
 */
const MAX_CACHED_TEXT_LENGTH = 6000

type State = {
  readonly connection: SqlJsDatabase
  /** Prepared statements by text, the least recently used first. */
  readonly cache: Map<string, Prepared>
  readonly kinds: Map<string, StatementKind>
}

export function createEngine(database: MemoryDatabase): Engine {
  const { connection } = database
  const state: State = { connection, cache: new Map(), kinds: new Map() }
  const begin = connection.prepare('BEGIN')
  const commit = connection.prepare('COMMIT')
  const rollback = connection.prepare('ROLLBACK')
  return {
    database,
    kindOf: (sql) => cachedKindOf(state, sql),
    execute: (sql, parameters) =>
      withPrepared(state, sql, (prepared) => execute(state, prepared, parameters)),
    apply(sql, parameters) {
      withPrepared(state, sql, ({ statement }) => {
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
      state.cache.clear()
      database.close()
    },
  }
}

function cachedKindOf({ cache, kinds }: State, sql: string): StatementKind {
  const known = cache.get(sql)?.kind ?? kinds.get(sql)
  if (known !== undefined) return known
  const found = kindOf(sql)
  if (kinds.size > MAX_CACHED_STATEMENTS) kinds.clear()
  kinds.set(sql, found)
  return found
}

/** Returns the prepared statement of a text, from the cache if it is there. */
function takePrepared(state: State, sql: string): Prepared {
  const { connection, cache } = state
  const known = cache.get(sql)
  if (known !== undefined) {
    // Moves the entry to the end of the map: the least recently used is first.
    cache.delete(sql)
    cache.set(sql, known)
    return known
  }
  const statement = prepare(connection, sql)
  const prepared: Prepared = { statement, kind: cachedKindOf(state, sql), columns: undefined }
  if (sql.length > MAX_CACHED_TEXT_LENGTH) return prepared
  cache.set(sql, prepared)
  if (cache.size > MAX_CACHED_STATEMENTS) removeOldest(cache)
  return prepared
}

function removeOldest(cache: Map<string, Prepared>): void {
  const [oldest] = cache
  if (oldest === undefined) return
  oldest[1].statement.free()
  cache.delete(oldest[0])
}

function withPrepared<T>(state: State, sql: string, work: (prepared: Prepared) => T): T {
  const prepared = takePrepared(state, sql)
  try {
    return work(prepared)
  } catch (error) {
    throw withStatement(error, sql)
  } finally {
    // An unfinished RETURNING statement would make COMMIT fail.
    if (sql.length > MAX_CACHED_TEXT_LENGTH) prepared.statement.free()
    else prepared.statement.reset()
  }
}

function execute({ connection }: State, prepared: Prepared, parameters: readonly SqlValue[]): Outcome {
  const { statement } = prepared
  if (parameters.length > 0) statement.bind(parameters as SqlValue[])
  const rows: Row[] = []
  if (statement.step()) {
    prepared.columns ??= columnsOf(statement)
    do rows.push(toRow(prepared.columns, statement.get()))
    while (statement.step())
  }
  return { rows, changes: prepared.kind === 'write' ? connection.getRowsModified() : 0 }
}

function columnsOf(statement: SqlJsStatement): Columns {
  const names = statement.getColumnNames()
  return { names, empty: emptyRecord(names) }
}

/** Copies an empty row, which takes a third of the time of a growing object and keeps all columns fast to read. */
function toRow({ names, empty }: Columns, values: readonly SqlValue[]): Row {
  const row: Row = { ...empty }
  for (let index = 0; index < names.length; index += 1) {
    row[names[index] as string] = values[index] as SqlValue
  }
  return row
}

function prepare(connection: SqlJsDatabase, sql: string): SqlJsStatement {
  try {
    return connection.prepare(sql)
  } catch (error) {
    throw withStatement(error, sql)
  }
}

function step(statement: SqlJsStatement, sql: string): void {
  try {
    statement.step()
  } catch (error) {
    throw withStatement(error, sql)
  } finally {
    statement.reset()
  }
}

/**
 * Adds the statement to an error. sql.js throws strings for its own errors and plain errors for those of
 * SQLite.
 */
function withStatement(error: unknown, sql: string): Error {
  if (error instanceof Error && error.name === 'RuntimeError') return error
  const message = messageOf(error)
  return Object.assign(new Error(`${message} · ${excerpt(sql)}`, { cause: error }), { sqlite: message })
}

/** Returns true if `error` is a UNIQUE violation of `column`, such as `users.username_folded`. */
export function isUniqueViolation(error: unknown, column?: string): boolean {
  const message = error instanceof Error && 'sqlite' in error ? String(error.sqlite) : ''
  return message.startsWith('UNIQUE constraint failed') && (column === undefined || message.includes(column))
}
