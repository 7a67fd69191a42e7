import type { DialectAdapter, QueryCompiler } from 'kysely'

/** The SQL of an engine: how Kysely writes it. A query has no dialect until an engine runs it. */
export type SqlDialect = {
  readonly adapter: DialectAdapter
  readonly compiler: QueryCompiler
}
