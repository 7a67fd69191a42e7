import { PostgresAdapter, PostgresQueryCompiler, type PrimitiveValueListNode, type RawNode } from 'kysely'
import type { SqlDialect } from '../../dialect/dialect.ts'
import { postgresFormOf } from '../../dialect/either-form.ts'

/** Writes PostgreSQL's form of expressions that differ (see db/dialect). */
class FormCompiler extends PostgresQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    const form = postgresFormOf(node)
    if (form === undefined) super.visitRaw(node)
    else this.visitNode(form)
  }

  /** `in ()` is an error in PostgreSQL. `in (null)` is not true either. */
  protected override visitPrimitiveValueList(node: PrimitiveValueListNode): void {
    if (node.values.length === 0) this.append('(null)')
    else super.visitPrimitiveValueList(node)
  }
}

export const postgresDialect: SqlDialect = {
  adapter: new PostgresAdapter(),
  compiler: new FormCompiler(),
}
