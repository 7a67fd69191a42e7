import type { RunStats } from '../../../../contract/runs/run-stats.ts'
import type { Range } from '../../../lib/format/period.ts'
import type { Subject } from '../overview.search.ts'

/** Figures of the period before, and its series with as many points. */
export type PreviousStats = Pick<
  RunStats,
  'total' | 'error' | 'total_tokens' | 'p95_latency_ms' | 'cost_usd' | 'series'
>

/** Returns the figures of the earlier period of a reply. Without runs, counts are 0. */
export const previousStatsOf = ({ previous, previous_series: series = [] }: RunStats): PreviousStats => ({
  total: previous?.count ?? 0,
  error: previous?.error ?? 0,
  total_tokens: previous?.total_tokens ?? 0,
  p95_latency_ms: previous?.p95_latency_ms ?? null,
  cost_usd: previous?.cost_usd ?? null,
  series,
})

/** Statistics of a period and of the one before it. */
export type OverviewStats = {
  /** The workspace, filters and period of these figures; differs from the URL while the next ones load. */
  readonly subject: Subject
  readonly current: RunStats
  readonly previous: PreviousStats | null
  /** The requested range; links to rows use the same one. */
  readonly requestedRange: Range
  /** Time of the request, in epoch milliseconds. */
  readonly now: number
}
