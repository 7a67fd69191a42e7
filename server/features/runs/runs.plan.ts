import { type Expression, type SqlBool, sql } from 'kysely'
import type { Query } from '../../db/types.ts'
import { conditionsOf } from './rollups.read.ts'
import { dimensions } from './rollups.store.ts'
import type { RunFilter } from './runs.filters.ts'
import { holdsWord } from './runs.search.ts'

/** The position of a run in the log. Lists are sorted by time, then id. */
export type RunKey = { readonly created_at: number; readonly id: number }
export type Direction = 'asc' | 'desc'

/** The condition of one index range; null: all runs. */
export type Walk = Expression<SqlBool> | null

/** Index ranges to merge, and conditions to check on each of their runs. */
export type ScanPlan = {
  readonly walks: readonly Walk[]
  readonly checks: readonly Expression<SqlBool>[]
  /** True if no run is in two ranges. */
  readonly isDisjoint: boolean
  readonly from: number | undefined
  readonly to: number | undefined
}

const mostWalks = 60
/** Number of runs up to which the length of an index range is measured. */
const selective = 2000

type Candidate = {
  readonly walks: readonly Walk[]
  readonly check: Expression<SqlBool>
  readonly isDisjoint: boolean
}

/** Returns every filter as a possible index range, the likely most selective first. */
function candidatesOf(filter: RunFilter): Candidate[] {
  const candidates: Candidate[] = []
  const offer = (name: string, values: readonly (number | string)[] | undefined) => {
    if (values === undefined) return
    const column = sql.ref(name)
    candidates.push({
      isDisjoint: true,
      walks: values.map((value) => sql<SqlBool>`${column} = ${value}`),
      check: sql<SqlBool>`+${column} in (${sql.join(values.map((value) => (typeof value === 'number' ? sql.lit(value) : sql.val(value))))})`,
    })
  }
  offer('parent_id', filter.parentIds)
  offer('client', filter.client)
  offer('error_type', filter.errorType)
  for (const match of filter.words) {
    const walks = (match.found ?? []).map(({ column, id }) => sql<SqlBool>`${sql.ref(column)} = ${id}`)
    const isDisjoint = new Set(match.found?.map(({ column }) => column)).size <= 1
    candidates.push({ walks, check: holdsWord(match), isDisjoint })
  }
  offer('ref_key', filter.names.ref_key)
  offer('user', filter.user)
  offer('version', filter.version)
  if (filter.statuses?.[0] === 1) {
    const failed = sql<SqlBool>`+${sql.ref('status')} = 1`
    // A literal: SQLite uses a partial index only if it can see that its condition holds.
    candidates.push({ walks: [sql<SqlBool>`status = 1`], check: failed, isDisjoint: true })
  }
  for (const dimension of dimensions) if (dimension !== 'ref_key') offer(dimension, filter.names[dimension])
  return candidates
}

/** Chooses the index with the shortest range; the other filters become checks. */
export async function planScan(q: Query, filter: RunFilter): Promise<ScanPlan> {
  const range = { from: filter.from, to: filter.to }
  const checks: Expression<SqlBool>[] = []
  if (filter.minLatency !== undefined) checks.push(sql<SqlBool>`latency_us >= ${filter.minLatency}`)
  if (filter.maxLatency !== undefined) checks.push(sql<SqlBool>`latency_us <= ${filter.maxLatency}`)
  if (filter.statuses?.[0] === 0) checks.push(...conditionsOf({}, [0]))

  const candidates = candidatesOf(filter)
  const usable = candidates.filter(({ walks }) => walks.length > 0 && walks.length <= mostWalks)
  let chosen = usable[0]
  if (usable.length > 1) {
    let shortest = Number.POSITIVE_INFINITY
    for (const candidate of usable) {
      const length = await lengthOf(q, { ...candidate, checks: [], ...range }, selective)
      if (length < shortest) {
        shortest = length
        chosen = candidate
      }
    }
  }
  for (const candidate of candidates) if (candidate !== chosen) checks.push(candidate.check)
  const walks = chosen?.walks ?? [null]
  return { walks, checks, isDisjoint: chosen?.isDisjoint ?? true, ...range }
}

/** Returns the number of runs in the ranges of a plan, counting up to `most` in each. */
async function lengthOf(q: Query, plan: ScanPlan, most: number): Promise<number> {
  let length = 0
  for (const walk of plan.walks) {
    const rows = walked(q, plan, walk, 'desc', undefined).select('id').limit(most)
    const [row] = await q
      .selectFrom(rows.as('counted'))
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .execute()
    length += row?.n ?? 0
    if (length >= most * 4) break
  }
  return length
}

/** Counts with the indexes alone, up to `most`; null if rows must be read. */
export async function countWalked(q: Query, plan: ScanPlan, most: number): Promise<number | null> {
  return plan.checks.length > 0 || !plan.isDisjoint ? null : lengthOf(q, plan, most)
}

/** Returns the query of one index range in order, after a position. */
export function walked(
  q: Query,
  plan: ScanPlan,
  walk: Walk,
  direction: Direction,
  after: RunKey | undefined,
) {
  let query = q.selectFrom('runs')
  if (walk !== null) query = query.where(walk)
  if (plan.from !== undefined) query = query.where('created_at', '>=', plan.from)
  if (plan.to !== undefined) query = query.where('created_at', '<', plan.to)
  if (after !== undefined) {
    query = query.where(
      direction === 'desc'
        ? sql<SqlBool>`(created_at, id) < (${after.created_at}, ${after.id})`
        : sql<SqlBool>`(created_at, id) > (${after.created_at}, ${after.id})`,
    )
  }
  return query.orderBy('created_at', direction).orderBy('id', direction)
}
