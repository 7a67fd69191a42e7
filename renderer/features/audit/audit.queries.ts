import { queryOptions } from '@tanstack/react-query'
import { filtersOf } from '../../lib/format/period.ts'
import { client, keepPreviousRows } from '../../lib/service/api.ts'
import { pageSize } from '../../lib/service/paging.ts'
import type { AuditSearch } from './audit.search.ts'

export const defaultSort = '-created_at'
export const defaultPeriod = 'all'

/**
 * Refetch intervals in milliseconds. No event announces the end of a verification, so its state is polled.
 */
const chainPendingMs = 3_000
const chainKnownMs = 5 * 60_000

export const auditQuery = (search: AuditSearch) =>
  queryOptions({
    queryKey: ['audit', 'list', search],
    queryFn: ({ signal }) =>
      client.audit.list(
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
    refetchInterval: ({ state }) => (state.data?.chain.ok === null ? chainPendingMs : chainKnownMs),
    ...keepPreviousRows,
  })
