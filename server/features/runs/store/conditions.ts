import { type Expression, type SqlBool, sql } from 'kysely'
import { type Dimension, dimensions } from '../../../db/schema/run-columns.ts'

/** The ids of names to include, by dimension. An absent dimension is not restricted. */
export type NameFilter = Partial<Record<Dimension, readonly number[]>>

/** Returns SQL conditions. A leading `+` keeps SQLite on the index of the sort order. */
export function conditionsOf(names: NameFilter, statuses?: readonly number[]): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = []
  for (const dimension of dimensions) {
    const ids = names[dimension]
    if (ids !== undefined) conditions.push(sql<SqlBool>`+${sql.ref(dimension)} in (${listOf(ids)})`)
  }
  if (statuses !== undefined) conditions.push(sql<SqlBool>`+${sql.ref('status')} in (${listOf(statuses)})`)
  return conditions
}

/** Returns ids as SQL literals: they are internal integers, and SQLite limits parameters to 32,766. */
export const listOf = (ids: readonly number[]) => sql.raw(ids.map((id) => Math.trunc(id)).join(','))
