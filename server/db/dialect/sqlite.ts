import { type LimitNode, SqliteAdapter, SqliteQueryCompiler, ValueNode } from 'kysely'
import type { SqlDialect } from './dialect.ts'

/**
 * SQLite plans a statement anew on each call if its limit is a bound value, because the plan depends on it. So numbers
 * are written as literals, and placeholders as a sum, whose value SQLite does not look up.
 */
class SqliteCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node
    if (ValueNode.is(limit) && Number.isSafeInteger(limit.value)) {
      this.append(`limit ${limit.value}`)
      return
    }
    super.visitLimit(node)
    this.append(' + 0')
  }
}

export const sqliteDialect: SqlDialect = {
  adapter: new SqliteAdapter(),
  compiler: new SqliteCompiler(),
}
