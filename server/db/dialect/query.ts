import {
  type CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
} from 'kysely'
import type { Schema } from '../schema/schema.ts'
import type { Query } from '../types.ts'
import type { Outcome } from '../values.ts'
import type { SqlDialect } from './dialect.ts'

/** Runs one statement. Outside a transaction, the statement sees only committed rows. */
export type Runner = {
  readonly dialect: SqlDialect
  execute(sql: string, parameters: readonly unknown[]): Promise<Outcome>
}

/** The runner of each `Query`, so that a prepared query can bypass Kysely. */
const runners = new WeakMap<Query, Runner>()

const noTransactions = (): never => {
  throw new Error('Transactions are made by db.write, savepoints by tx.attempt')
}
const noIntrospection = (): never => {
  throw new Error('The schema is the result of the migrations; the store does not read it')
}

/** Only `db.write` opens transactions, so Kysely's driver has nothing to do. */
const driver: Driver = {
  init: async () => {},
  acquireConnection: noTransactions,
  beginTransaction: noTransactions,
  commitTransaction: noTransactions,
  rollbackTransaction: noTransactions,
  releaseConnection: async () => {},
  destroy: async () => {},
}

/** Returns a Kysely instance that sends its statements to `runner`. */
export function queryOver(runner: Runner): Query {
  const { adapter, compiler } = runner.dialect
  const dialect: Dialect = {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createQueryCompiler: () => compiler,
    createIntrospector: noIntrospection,
  }
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { rows, changes } = await runner.execute(query.sql, query.parameters)
      return { rows: rows as R[], numAffectedRows: BigInt(changes) }
    },
    streamQuery() {
      throw new Error('A cursor cannot outlive the statement here: page by key instead')
    },
  }
  const provider: ConnectionProvider = { provideConnection: (consumer) => consumer(connection) }
  const executor = new DefaultQueryExecutor(compiler, adapter, provider)
  const query = new Kysely<Schema>({ config: { dialect }, driver, dialect, executor })
  runners.set(query, runner)
  return query
}

/** Returns the runner of `db.read` or `tx.q`. Throws for any other query, such as a copy. */
export function runnerOf(query: Query): Runner {
  const runner = runners.get(query)
  if (runner === undefined)
    throw new Error('A prepared query takes db.read or tx.q itself, not a copy of them')
  return runner
}

const compilers = new WeakMap<SqlDialect, Query>()

/** Returns a query that builds and compiles statements, and cannot run them. */
export function compileOnly(dialect: SqlDialect): Query {
  const known = compilers.get(dialect)
  if (known !== undefined) return known
  const query = queryOver({
    dialect,
    execute: async (sql) => {
      throw new Error(`This query was built to be compiled only: ${sql}`)
    },
  })
  compilers.set(dialect, query)
  return query
}
