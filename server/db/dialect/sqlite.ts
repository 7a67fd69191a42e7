import { type LimitNode, SqliteAdapter, SqliteQueryCompiler, ValueNode } from 'kysely'
import type { SqlDialect } from './dialect.ts'
import { isPlaceholder } from './placeholder.ts'

/**
 * SQLite plans a statement again on each call if the plan may depend on a bound value: one that is compared with `=` or
 * limits the rows. That takes several times as long as a lookup. So numbers of limits are written as literals, and
 * placeholders with a sign, because SQLite does not look up the value of an expression.
 */
class SqliteCompiler extends SqliteQueryCompiler {
  protected override appendValue(value: unknown): void {
    if (isPlaceholder(value)) this.append('+')
    super.appendValue(value)
  }

  protected override visitLimit(node: LimitNode): void {
    const { limit } = node
    if (ValueNode.is(limit) && Number.isSafeInteger(limit.value)) this.append(`limit ${limit.value}`)
    else super.visitLimit(node)
  }
}

export const sqliteDialect: SqlDialect = {
  adapter: new SqliteAdapter(),
  compiler: new SqliteCompiler(),
}
