import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { hasJsonField } from '../../../db/dialect/json.ts'
import type { Schema } from '../../../db/schema/schema.ts'
import type { Query } from '../../../db/types.ts'
import { filterColumns } from './columns.ts'
import type { RunFilter, ValueFilters } from './filters.ts'
import { containsMember } from './members.store.ts'
import type { RunKey } from './runs.store.ts'
import type { Direction, Span } from './windows.ts'
import { containsWord } from './words.store.ts'

type Condition = Expression<SqlBool>

/** Returns the conditions of a filter except time. Ids are literals, so that SQLite can use every index. */
export function conditionsOf(filter: RunFilter): Condition[] {
  return [
    ...valueConditions(filter),
    ...valueConditions(filter.excluded).map((condition) => sql<SqlBool>`(${condition}) is not true`),
    ...filter.ranges.flatMap(({ column, min, max }) => [
      ...(min === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} >= ${min}`]),
      ...(max === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} <= ${max}`]),
    ]),
    ...filter.present.map((column) => sql<SqlBool>`${sql.ref(column)} is not null`),
    ...filter.absent.map((column) => sql<SqlBool>`${sql.ref(column)} is null`),
    ...(filter.metadata.length === 0
      ? []
      : [sql<SqlBool>`metadata is not null and ${hasJsonField('runs.metadata', filter.metadata)}`]),
    ...filter.words.map(containsWord),
  ]
}

/** Returns a condition for each restricted column. */
function valueConditions({ columns, statuses, tags }: ValueFilters): Condition[] {
  const restrictions: readonly (readonly [string, readonly (number | string)[] | undefined])[] = [
    ...filterColumns.map((name) => [name, columns[name]] as const),
    ['status', statuses],
  ]
  return [
    ...restrictions.flatMap(([name, values]) => (values === undefined ? [] : [isOneOf(name, values)])),
    ...(tags === undefined ? [] : [containsMember('tags', tags)]),
  ]
}

function isOneOf(name: string, values: readonly (number | string)[]): Condition {
  const list = values.map((value) => (typeof value === 'number' ? sql.lit(value) : sql.val(value)))
  const column = sql.ref(name)
  return list.length === 1
    ? sql<SqlBool>`${column} = ${list[0]}`
    : sql<SqlBool>`${column} in (${sql.join(list)})`
}

export type Runs = SelectQueryBuilder<Schema, 'runs', object>

/** Returns the runs of a query that meet the conditions. */
export const matching = (runs: Runs, conditions: readonly Expression<SqlBool>[]): Runs =>
  conditions.reduce((query, condition) => query.where(condition), runs)

/** Returns the runs created in a window. */
export const runsIn = (q: Query, { from, to }: Span): Runs =>
  q.selectFrom('runs').where('created_at', '>=', from).where('created_at', '<', to)

/**
 * Returns the runs of a window after a key. The key replaces an end of the window, because SQLite begins at
 * only one of two limits and would read all runs up to the other one.
 */
export function runsAfter(
  q: Query,
  { from, to }: Span,
  direction: Direction,
  { created_at, id }: RunKey,
): Runs {
  const key = sql`(${created_at}, ${id})`
  const runs = q.selectFrom('runs')
  return direction === 'desc'
    ? runs.where('created_at', '>=', from).where(sql<SqlBool>`(created_at, id) < ${key}`)
    : runs.where('created_at', '<', to).where(sql<SqlBool>`(created_at, id) > ${key}`)
}
