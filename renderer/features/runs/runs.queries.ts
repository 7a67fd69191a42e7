import { queryOptions } from '@tanstack/react-query'
import { filtersOf, isCustom, type PeriodName } from '../../lib/format/period.ts'
import { client, keepPreviousRows } from '../../lib/service/api.ts'
import { pageSize } from '../../lib/service/paging.ts'
import type { RunsSearch } from './runs.search.ts'

export const defaultSort = '-created_at'
/** The period that applies if the URL names none. */
export const defaultPeriod: PeriodName = '24h'
/** Refetch interval in milliseconds: a period that ends now changes even without new runs. */
const refetchMs = 30_000
/** Refetch interval while captured texts are being indexed. */
const refetchIncompleteMs = 3000

/** Returns true if a filter other than period and workspace is set. */
export function isFiltered(search: RunsSearch): boolean {
  const { period, from, to, cursor, sort, workspace, view, ...filters } = search
  return Object.values(filters).some((value) => value !== undefined)
}

/** Returns true if the list covers all runs without a period or custom range. */
export const isAllTime = (search: RunsSearch): boolean => search.period === 'all' && !isCustom(search)

export const runsQuery = (search: RunsSearch) =>
  queryOptions({
    queryKey: ['run', 'list', search],
    queryFn: ({ signal }) =>
      client.runs.list(
        {
          query: {
            limit: pageSize,
            sort: search.sort ?? defaultSort,
            cursor: search.cursor,
            ...filtersOf(search, defaultPeriod),
          },
        },
        { signal },
      ),
    refetchInterval: ({ state }) => {
      if (state.data?.content_incomplete !== undefined) return refetchIncompleteMs
      return isCustom(search) || isAllTime(search) ? false : refetchMs
    },
    ...keepPreviousRows,
  })
