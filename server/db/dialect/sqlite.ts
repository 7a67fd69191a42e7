import { SqliteAdapter, SqliteQueryCompiler } from 'kysely'
import type { SqlDialect } from './dialect.ts'

export const sqliteDialect: SqlDialect = {
  adapter: new SqliteAdapter(),
  compiler: new SqliteQueryCompiler(),
}
