import type { OptionalRunField } from '../../../contract/runs/run-filters.ts'
import type { Range } from '../../lib/format/period.ts'
import { filtersOf, type StatisticsSearch } from './statistics.search.ts'

type Filters = ReturnType<typeof filtersOf>
/** Search parameters of the run log. */
export type RunsLink = Partial<Filters> & {
  readonly has_no?: OptionalRunField[] | undefined
  readonly min_latency_ms?: number
  readonly min_ttft_ms?: number
}

/** Returns the search parameters of the runs behind a figure: filters, period, and those of the group. */
export function runsLinkOf(search: StatisticsSearch, { from, to }: Range, group: RunsLink) {
  const filters = filtersOf(search)
  const missing = [...(filters.has_no ?? []), ...(group.has_no ?? [])]
  return {
    ...filters,
    ...group,
    has_no: missing.length === 0 ? undefined : [...new Set(missing)],
    // Without a start, the log shows all runs instead of its usual period.
    period: from === undefined && to === undefined ? ('all' as const) : undefined,
    from,
    to,
  }
}
