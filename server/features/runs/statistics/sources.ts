import { type Expression, type SqlBool, sql } from 'kysely'
import { listOf, withoutIndex } from '../../../db/dialect/expressions.ts'
import { dimensions, type SingleDimension, singleDimensions } from '../../../db/schema/run-columns.ts'
import type { RunFilter, ValueFilters } from '../store/filters.ts'
import { type Piece, piecesOf, type Span, type SpanTier, tiers } from './rollups/calendar.ts'
import { cellSlice, finestOf, singleSliceOf, sliceOf, wholeSlice } from './rollups/rollup.ts'

/** A column by which statistics are grouped or restricted. */
export type StatColumn = (typeof statColumns)[number]
const statColumns = [...dimensions, ...singleDimensions, 'status'] as const

/** A slice of roll-ups and what it can answer. */
export type Slice = {
  readonly slice: number
  readonly columns: ReadonlySet<string>
  /** The dimension whose names are in the column `value`. */
  readonly single: SingleDimension | null
  /** The tier of its shortest roll-ups. */
  readonly finest: SpanTier
}

const sliceWith = (
  slice: number,
  columns: readonly string[],
  finest: SpanTier = tiers.hour,
  single: SingleDimension | null = null,
): Slice => ({ slice, columns: new Set([...columns, 'status']), single, finest })

const cells = sliceWith(cellSlice, dimensions, tiers.day)
/** Every slice; those with fewer roll-ups come first. */
const slices: readonly Slice[] = [
  sliceWith(wholeSlice, []),
  ...dimensions.map((name) => sliceWith(sliceOf(name), name === 'ref_key' ? [name, 'env'] : [name])),
  ...singleDimensions.map((name) =>
    sliceWith(
      singleSliceOf(name),
      name === 'version' ? [name, 'ref_key', 'env'] : [name],
      finestOf(name),
      name,
    ),
  ),
  cells,
]

/** The filters and the time of statistics, in whole milliseconds; `to` is exclusive. */
export type StatsRange = { readonly filter: RunFilter; readonly from: number; readonly to: number }

/** Requirements of one part of the statistics: columns to group by, and the tier of its shortest interval. */
export type Need = { readonly columns: readonly StatColumn[]; readonly interval: SpanTier | 'rows' | null }

/** The roll-ups that answer a need, or rows if `slice` is null. */
export type Plan = { readonly slice: Slice | null; readonly pieces: readonly Piece[] }

/** Returns the cheapest plan. `isBehind`: the slices of single dimensions are not complete. */
export function planOf(range: StatsRange, need: Need, isBehind: boolean): Plan {
  const restricted = restrictedColumns(range.filter)
  const { interval } = need
  if (restricted === null || interval === 'rows') return rowsOf(range)
  const columns = [...need.columns, ...restricted]
  const slice = slices.find(
    (candidate) =>
      columns.every((column) => candidate.columns.has(column)) &&
      (interval === null || candidate.finest <= interval) &&
      (candidate.single === null || !isBehind),
  )
  if (slice === undefined) return rowsOf(range)
  return { slice, pieces: piecesOf(range.from, range.to, interval ?? tiers.month, slice.finest) }
}

export const rowsOf = ({ from, to }: StatsRange): Plan => ({
  slice: null,
  pieces: from < to ? [{ tier: 'rows', from, to }] : [],
})

/** Returns the time that compacted roll-ups cover: rows are only at its ends. */
export function coveredBy(pieces: Plan['pieces']): Span | null {
  const covered = pieces.filter(({ tier }) => tier !== 'rows')
  const [first] = covered
  const last = covered.at(-1)
  return first === undefined || last === undefined ? null : { from: first.from, to: last.to }
}

const isStatColumn = (column: string): boolean => (statColumns as readonly string[]).includes(column)

/** Returns the columns that a filter restricts; null if only rows can be compared with it. */
export function restrictedColumns(filter: RunFilter): string[] | null {
  const { excluded } = filter
  const columns = [
    ...Object.keys({ ...filter.columns, ...excluded.columns }),
    ...filter.present,
    ...filter.absent,
    ...(filter.tags === undefined && excluded.tags === undefined ? [] : ['tags']),
  ]
  const isSummarized =
    filter.ranges.length === 0 &&
    filter.metadata.length === 0 &&
    filter.words.length === 0 &&
    filter.tags?.ids !== null &&
    excluded.tags?.ids !== null &&
    columns.every(isStatColumn)
  return isSummarized ? columns : null
}

type Condition = Expression<SqlBool>

/** Returns the SQL conditions of a filter for roll-ups, in which a missing name is 0. */
export function rollupConditions(filter: RunFilter, single: SingleDimension | null): Condition[] {
  const refOf = (column: string) => withoutIndex(column === single ? 'value' : column)
  const lists = (values: ValueFilters): [string, readonly number[]][] => [
    // The columns of dimensions contain ids.
    ...(Object.entries(values.columns) as [string, readonly number[]][]),
    ...(values.tags?.ids ? [['tags', values.tags.ids] as [string, readonly number[]]] : []),
    ...(values.statuses ? [['status', values.statuses] as [string, readonly number[]]] : []),
  ]
  return [
    ...lists(filter).map(([column, ids]) => sql<SqlBool>`${refOf(column)} in (${listOf(ids)})`),
    ...lists(filter.excluded).map(([column, ids]) => sql<SqlBool>`${refOf(column)} not in (${listOf(ids)})`),
    ...filter.present.map((column) => sql<SqlBool>`${refOf(column)} <> 0`),
    ...filter.absent.map((column) => sql<SqlBool>`${refOf(column)} = 0`),
  ]
}
