import { hash } from 'node:crypto'
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Paging } from '../../contract/common/fields.ts'
import type { Query } from '../db/types.ts'
import { invalid } from './fail.ts'

/** Maximum reported total of a filtered list. A larger total is reported as this, with `total_capped`. */
export const totalCap = 10_000

export type CursorValue = string | number
export type SortKey = {
  readonly expression: RawBuilder<unknown>
  readonly type: 'number' | 'string'
}
/** A sort order of a list: its wire name and keys. All keys have the same direction. */
export type Order = {
  readonly name: string
  readonly direction: 'asc' | 'desc'
  readonly keys: readonly SortKey[]
}

export const numberKey = (column: string): SortKey => ({ expression: sql.ref(column), type: 'number' })
export const textKey = (column: string): SortKey => ({ expression: sql.ref(column), type: 'string' })

/**
 * Returns the sort orders of a list by wire name: `orders({ created_at: [numberKey('created_at'),
 * textKey('id')] })('-created_at')`. The last key must be unique, or rows with equal keys would be lost
 * between two pages.
 */
export function orders<Name extends string>(table: Readonly<Record<Name, readonly SortKey[]>>) {
  return (sort: Name | `-${Name}`): Order => {
    const isDescending = sort.startsWith('-')
    const keys = table[(isDescending ? sort.slice(1) : sort) as Name]
    return { name: sort, direction: isDescending ? 'desc' : 'asc', keys }
  }
}

export type PagePlan = {
  readonly order: Order
  readonly limit: number
  readonly offset: number
  /** The keys of the last row of the previous page; null on the first page. */
  readonly after: readonly CursorValue[] | null
  /** Hash of the filters except `from` and `to`: a cursor is valid only for the list it came from. */
  readonly fingerprint: string
  readonly isFiltered: boolean
}

const Cursor = z.strictObject({
  sort: z.string(),
  filters: z.string(),
  // Columns of numbers are whole numbers; the engines reject other parameters.
  after: z.array(z.union([z.string(), z.int()])),
})

const pagingNames = new Set(['limit', 'offset', 'cursor', 'sort'])
/** Filters that may change between pages, such as "the last 24 hours"; a cursor remains valid. */
const movingNames = new Set(['from', 'to'])

function filtersOf(query: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(query)
    .filter(([name, value]) => value !== undefined && !pagingNames.has(name))
    .map(([name, value]): [string, unknown] => [name, Array.isArray(value) ? [...value].sort() : value])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/**
 * Returns the plan of a parsed list query. Every parameter except `limit offset cursor sort` counts as a
 * filter.
 */
export function planPage(query: Paging & Readonly<Record<string, unknown>>, order: Order): PagePlan {
  if (query.cursor !== undefined && query.offset !== undefined) {
    throw invalid('query.offset', 'Set either a cursor or an offset, not both')
  }
  const filters = filtersOf(query)
  const fixed = filters.filter(([name]) => !movingNames.has(name))
  const fingerprint =
    fixed.length === 0 ? '' : hash('sha256', JSON.stringify(fixed), 'base64url').slice(0, 12)
  const after = query.cursor === undefined ? null : readCursor(query.cursor, order, fingerprint)
  return {
    order,
    limit: query.limit,
    offset: query.offset ?? 0,
    after,
    fingerprint,
    isFiltered: filters.length > 0,
  }
}

function readCursor(text: string, order: Order, fingerprint: string): readonly CursorValue[] {
  let json: unknown = null
  try {
    json = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    throw invalid('query.cursor', 'Not a valid cursor')
  }
  const parsed = Cursor.safeParse(json)
  if (!parsed.success) throw invalid('query.cursor', 'Not a valid cursor')
  const { sort, filters, after } = parsed.data
  if (sort !== order.name) throw invalid('query.cursor', 'The cursor belongs to another sort order')
  if (filters !== fingerprint) throw invalid('query.cursor', 'The cursor belongs to other filters')
  const fits =
    after.length === order.keys.length && order.keys.every((key, i) => typeof after[i] === key.type)
  if (!fits) throw invalid('query.cursor', 'Not a valid cursor')
  return after
}

export function writeCursor(plan: PagePlan, after: readonly CursorValue[]): string {
  const cursor: z.input<typeof Cursor> = {
    sort: plan.order.name,
    filters: plan.fingerprint,
    after: [...after],
  }
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

/** Narrows a query to the rows of the page, plus one more that shows whether another page follows. */
export function applyPage<DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  plan: PagePlan,
): SelectQueryBuilder<DB, TB, O> {
  const { keys, direction } = plan.order
  let paged = query
  if (plan.after !== null) {
    const left = sql.join(keys.map((key) => key.expression))
    const right = sql.join(plan.after.map((value) => sql.val(value)))
    paged = paged.where(
      direction === 'asc' ? sql<boolean>`(${left}) > (${right})` : sql<boolean>`(${left}) < (${right})`,
    )
  }
  for (const key of keys) paged = paged.orderBy(key.expression, direction)
  paged = paged.limit(plan.limit + 1)
  return plan.offset > 0 ? paged.offset(plan.offset) : paged
}

export type Total = { readonly total: number; readonly isCapped: boolean }

/** Counts the rows of a filtered query (before `applyPage`), up to the cap if `isCapped`. */
export async function countRows<DB, TB extends keyof DB, O>(
  q: Query,
  filtered: SelectQueryBuilder<DB, TB, O>,
  options: { readonly isCapped: boolean },
): Promise<Total> {
  const rows = filtered.clearSelect().clearOrderBy().select(sql<number>`1`.as('one'))
  const counted = options.isCapped ? rows.limit(totalCap + 1) : rows
  const result = await sql<{ total: number }>`select count(*) as total from (${counted}) as counted`.execute(
    q,
  )
  const total = Number(result.rows[0]?.total ?? 0)
  return options.isCapped && total > totalCap
    ? { total: totalCap, isCapped: true }
    : { total, isCapped: false }
}

/** Returns the rows of a page, plus one more, and the total, by default up to the cap in a filtered list. */
export async function readPage<DB, TB extends keyof DB, Row>(
  q: Query,
  matching: SelectQueryBuilder<DB, TB, Row>,
  plan: PagePlan,
  options: Parameters<typeof countRows>[2] = { isCapped: plan.isFiltered },
): Promise<{ rows: Row[]; total: Total }> {
  const total = await countRows(q, matching, options)
  // Kysely's `Simplify<Row>` has the same fields as `Row`.
  return { rows: (await applyPage(matching, plan).execute()) as Row[], total }
}

/** UTF-16 code units of the texts of a page. A reply can have them twice, as draft and as served version. */
const maxPageSize = 4 * 1024 * 1024
/** Rows of one statement. One more than the default page, so that it is read at once. */
const chunkRows = 51

/** Reads rows that can have long texts, up to the size of a page. Returns them for `toPage`, with the plan of that page. */
export async function readLongRows<Row extends object>(
  plan: PagePlan,
  ids: readonly { readonly id: string }[],
  read: (ids: readonly string[]) => Promise<readonly Row[]>,
): Promise<{ readonly rows: readonly Row[]; readonly plan: PagePlan }> {
  const rows: Row[] = []
  let size = 0
  for (let from = 0; from < ids.length; from += chunkRows) {
    for (const row of await read(ids.slice(from, from + chunkRows).map(({ id }) => id))) {
      rows.push(row)
      if (size >= maxPageSize) return { rows, plan: { ...plan, limit: rows.length - 1 } }
      for (const value of Object.values(row)) if (typeof value === 'string') size += value.length
    }
  }
  // If a row was deleted after its id was read, the last row begins the next page.
  const isShort = ids.length > plan.limit && rows.length <= plan.limit && rows.length > 1
  return { rows, plan: isShort ? { ...plan, limit: rows.length - 1 } : plan }
}

export type PageReply<Wire> = {
  data: Wire[]
  total: number
  total_capped?: true
  next_cursor: string | null
}

/**
 * Returns the reply for the `limit + 1` rows of `applyPage`. `keyOf` returns a row's values of the order's
 * keys.
 */
export function toPage<Row, Wire>(
  plan: PagePlan,
  rows: readonly Row[],
  total: Total,
  keyOf: (row: Row) => readonly CursorValue[],
  toWire: (row: Row) => Wire,
): PageReply<Wire> {
  const shown = rows.length > plan.limit ? rows.slice(0, plan.limit) : rows
  const last = shown.at(-1)
  const next = rows.length > plan.limit && last !== undefined ? writeCursor(plan, keyOf(last)) : null
  return {
    data: shown.map(toWire),
    total: total.total,
    ...(total.isCapped ? { total_capped: true as const } : {}),
    next_cursor: next,
  }
}
