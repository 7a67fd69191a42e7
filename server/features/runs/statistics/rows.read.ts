import { type SqlBool, sql } from 'kysely'
import type { Query } from '../../../db/types.ts'
import { conditionsOf, type NameFilter } from '../store/conditions.ts'
import type { RunKey } from '../store/runs.store.ts'
import { factColumns, type RunFacts } from './rollup.ts'

/** Maximum number of runs that one statement examines. */
const rowsPerWindow = 4000

/** Yields matching runs created in `[from, to)`, oldest first, with bounded statements. */
export async function* readFacts(
  q: Query,
  range: {
    readonly from: number
    readonly to: number
    readonly names: NameFilter
    readonly statuses: readonly number[] | undefined
  },
): AsyncGenerator<RunFacts[]> {
  const conditions = conditionsOf(range.names, range.statuses)
  let after: RunKey | undefined
  for (;;) {
    let base = q
      .selectFrom('runs')
      .where('created_at', '>=', after?.created_at ?? range.from)
      .where('created_at', '<', range.to)
      .orderBy('created_at')
      .orderBy('id')
    if (after !== undefined)
      base = base.where(sql<SqlBool>`(created_at, id) > (${after.created_at}, ${after.id})`)
    const [end] = await base
      .select(['created_at', 'id'])
      .limit(1)
      .offset(rowsPerWindow - 1)
      .execute()
    let window = base
    if (end !== undefined)
      window = window.where(sql<SqlBool>`(created_at, id) <= (${end.created_at}, ${end.id})`)
    for (const condition of conditions) window = window.where(condition)
    const rows = await window.select(factColumns).execute()
    if (rows.length > 0) yield rows
    if (end === undefined) return
    after = end
  }
}
