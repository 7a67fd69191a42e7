import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { filtersOf, type PeriodName } from '../../lib/format/period.ts'
import { client, keepPreviousRows } from '../../lib/service/api.ts'
import { pageSize } from '../../lib/service/paging.ts'
import type { SessionsSearch } from './sessions.search.ts'

/** The period that applies if the URL names none. */
export const defaultPeriod: PeriodName = '7d'
export const defaultSort = '-last_run_at'

// The keys start with `run`, because new runs change sessions.

export const sessionsQuery = (search: SessionsSearch) =>
  queryOptions({
    queryKey: ['run', 'sessions', search],
    queryFn: ({ signal }) => {
      const { q: _q, ...filters } = filtersOf(search, defaultPeriod)
      const query = { limit: pageSize, sort: search.sort ?? defaultSort, cursor: search.cursor, ...filters }
      return client.sessions.list({ query }, { signal })
    },
    ...keepPreviousRows,
  })

/** Fetches the session page by page, oldest runs first. */
export const sessionQuery = (id: string, workspace: string | undefined) =>
  infiniteQueryOptions({
    queryKey: ['run', 'session', id, workspace],
    queryFn: ({ signal, pageParam }) =>
      client.sessions.get({ params: { id }, query: { workspace, cursor: pageParam } }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
