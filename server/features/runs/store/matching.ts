import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely'
import { withoutIndex } from '../../../db/dialect/expressions.ts'
import { hasJsonField } from '../../../db/dialect/json.ts'
import type { RunColumnName } from '../../../db/schema/run-columns.ts'
import type { Schema } from '../../../db/schema/schema.ts'
import type { Query } from '../../../db/types.ts'
import { filterColumns } from './columns.ts'
import type { RunFilter, ValueFilters } from './filters.ts'
import { containsMember } from './members.store.ts'
import type { RunKey } from './runs.store.ts'
import type { Direction, Span } from './windows.ts'
import { containsWord } from './words.store.ts'

type Condition = Expression<SqlBool>

/** Columns in the indexes of failed runs, of slow runs and of runs with an error (migration 37). */
const partlyIndexed: ReadonlySet<string> = new Set<RunColumnName>([
  'app',
  'provider',
  'model',
  'ref_key',
  'workspace',
  'source',
  'env',
  'user',
])
/** Latency from which runs are in the index of slow ones, in microseconds. */
const slowUs = 5_000_000

/** Returns the conditions of a filter except time. Ids are literals, so that SQLite can use every index. */
export function conditionsOf(filter: RunFilter): Condition[] {
  const isSlow = filter.ranges.some(({ column, min }) => column === 'latency_us' && (min ?? 0) >= slowUs)
  return [
    ...valueConditions(filter, isSlow || isFailed(filter)),
    // The condition of the index, which SQLite does not derive from a greater limit.
    ...(isSlow ? [sql<SqlBool>`latency_us >= ${sql.lit(slowUs)}`] : []),
    ...valueConditions(filter.excluded, false).map((condition) => sql<SqlBool>`(${condition}) is not true`),
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

/** Returns true if a filter includes only failed runs, or only runs with an error. */
const isFailed = ({ statuses, present }: RunFilter): boolean =>
  (statuses?.length === 1 && statuses[0] === 1) || present.includes('error')

/**
 * Returns a condition for each restricted column. `isPartial`: all matching runs are in an index of few runs. SQLite would
 * prefer the index of a value, and read the rows of all its runs.
 */
function valueConditions({ columns, statuses, tags }: ValueFilters, isPartial: boolean): Condition[] {
  const columnOf = (name: string) =>
    isPartial && partlyIndexed.has(name) ? withoutIndex(name) : sql.ref(name)
  return [
    ...filterColumns.flatMap((name) => isOneOf(columnOf(name), columns[name])),
    ...isOneOf(sql.ref('status'), statuses),
    ...(tags === undefined ? [] : [containsMember('tags', tags)]),
  ]
}

function isOneOf(
  column: Expression<unknown>,
  values: readonly (number | string)[] | undefined,
): readonly Condition[] {
  if (values === undefined) return []
  const list = values.map((value) => (typeof value === 'number' ? sql.lit(value) : sql.val(value)))
  return [
    list.length === 1 ? sql<SqlBool>`${column} = ${list[0]}` : sql<SqlBool>`${column} in (${sql.join(list)})`,
  ]
}

export type Runs = SelectQueryBuilder<Schema, 'runs', object>

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
