import { queryOptions } from '@tanstack/react-query'
import type { RunStats } from '../../../contract/runs/run-stats.ts'
import { zoneName } from '../../lib/format/format.ts'
import { intervalOf, isCustom, previousRange, type Range, rangeOf } from '../../lib/format/period.ts'
import { client, keepPreviousRows } from '../../lib/service/api.ts'
import {
  defaultDimension,
  defaultMetric,
  defaultPeriod,
  filtersOf,
  type StatisticsSearch,
} from './statistics.search.ts'

/** Refetch interval in milliseconds: a period that ends now changes even without new runs. */
const refetchMs = 60_000
/** Number of groups in the table. */
const maxGroups = 100

export type GroupedStats = {
  readonly stats: RunStats
  /** The requested range; links to rows use the same one. */
  readonly range: Range
  /** Time of the request, in epoch milliseconds. */
  readonly now: number
  /** The grouping and the filters of the request. */
  readonly search: StatisticsSearch
}

/** Returns the dimensions of the table, one or two. */
export const dimensionsOf = ({ by = defaultDimension, and }: StatisticsSearch) =>
  and === undefined || and === by ? [by] : [by, and]

/** Fetches the groups of a period, and the figures of the period directly before. */
export const groupsQuery = (search: StatisticsSearch) =>
  queryOptions({
    queryKey: ['run', 'groups', search],
    queryFn: async ({ signal }): Promise<GroupedStats> => {
      const now = Date.now()
      const range = rangeOf(search, defaultPeriod, now)
      const before = previousRange(search, defaultPeriod, now)
      const query = {
        ...filtersOf(search),
        ...range,
        ...intervalOf(range, now),
        tz: zoneName(),
        group_by: dimensionsOf(search),
        sort: search.sort ?? (`-${search.metric ?? defaultMetric}` as const),
        limit: maxGroups,
        series_of: 'groups' as const,
        ...(before !== null && { compare_from: before.from, compare_to: before.to }),
      }
      return { stats: (await client.runs.stats({ query }, { signal })).data, range, now, search }
    },
    refetchInterval: isCustom(search) || search.period === 'all' ? false : refetchMs,
    ...keepPreviousRows,
  })
