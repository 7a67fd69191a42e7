import { type SqlBool, sql } from 'kysely'
import type { RunSortField } from '../../../../contract/runs/run-filters.ts'
import type { RunColumnName } from '../../../db/schema/run-columns.ts'
import type { Query } from '../../../db/types.ts'
import { createYield } from '../../../lib/async/yield.ts'
import type { RunFilter } from '../store/filters.ts'
import { conditionsOf, matching, runsIn } from '../store/matching.ts'
import { createWindows, type Direction } from '../store/windows.ts'
import { spanOf } from './matches.read.ts'

/** The figures by which the log is sorted, with their columns. */
export const figureColumns = {
  latency_ms: 'latency_us',
  cost_usd: 'cost_nano',
  total_tokens: 'total_tokens',
  ttft_ms: 'ttft_us',
} as const satisfies Record<Exclude<RunSortField, 'created_at'>, RunColumnName>
export type Figure = keyof typeof figureColumns

/** The position of a run in a list sorted by a figure, in the unit of the column. */
export type RankedKey = { readonly rank: number; readonly id: number }

/** The rank of a run without the figure, which sorts it last in both directions. */
const lastRank = { desc: -1, asc: Number.MAX_SAFE_INTEGER } as const

/** Returns true if `a` is before `b`. Equal figures are sorted by id, in the same direction. */
const isBefore = (direction: Direction, a: RankedKey, b: RankedKey): boolean => {
  const difference = a.rank === b.rank ? a.id - b.id : a.rank - b.rank
  return direction === 'asc' ? difference < 0 : difference > 0
}

/**
 * Returns the keys of up to `maxCount` matching runs after `after`, sorted by a figure. Reads the whole period
 * in windows, each with one bounded statement: no index could combine a period with each figure. What is
 * worse than the runs found so far is not returned by the statements.
 */
export async function readRanked(
  q: Query,
  filter: RunFilter,
  { figure, direction }: { readonly figure: Figure; readonly direction: Direction },
  after: RankedKey | undefined,
  maxCount: number,
): Promise<RankedKey[]> {
  const span = await spanOf(q, filter)
  if (span === null) return []
  const conditions = conditionsOf(filter)
  const rank = sql<number>`coalesce(${sql.ref(figureColumns[figure])}, ${sql.lit(lastRank[direction])})`
  const isAfter = (key: RankedKey) =>
    direction === 'asc'
      ? sql<SqlBool>`(${rank}, id) > (${key.rank}, ${key.id})`
      : sql<SqlBool>`(${rank}, id) < (${key.rank}, ${key.id})`
  const isBetter = (key: RankedKey) =>
    direction === 'asc'
      ? sql<SqlBool>`(${rank}, id) < (${key.rank}, ${key.id})`
      : sql<SqlBool>`(${rank}, id) > (${key.rank}, ${key.id})`
  const windows = createWindows(span, 'desc')
  const yieldIfDue = createYield()
  let best: RankedKey[] = []
  for (let window = windows.next(); window !== null; window = windows.next()) {
    const worst = best.length < maxCount ? undefined : best.at(-1)
    let runs = matching(runsIn(q, window), conditions)
    if (after !== undefined) runs = runs.where(isAfter(after))
    if (worst !== undefined) runs = runs.where(isBetter(worst))
    const startedAt = performance.now()
    const found = await runs
      .select(['id', rank.as('rank')])
      .orderBy(rank, direction)
      .orderBy('id', direction)
      .limit(maxCount)
      .execute()
    windows.adjust(performance.now() - startedAt)
    if (found.length > 0) {
      best = [...best, ...found].sort((a, b) => (isBefore(direction, a, b) ? -1 : 1)).slice(0, maxCount)
    }
    await yieldIfDue()
  }
  return best
}
