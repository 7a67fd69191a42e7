import { queryOptions } from '@tanstack/react-query'
import { maxPageSize } from '../../../contract/common/fields.ts'
import type { Client } from '../../../contract/live/clients.ts'
import { client, keepPreviousRows } from '../../lib/service/api.ts'
import { pageSize } from '../../lib/service/paging.ts'
import type { ClientsSearch } from './clients.search.ts'

/** Returns the filters of the address as parameters of the API. */
function filtersOf({ kind, group: _group, view: _view, ...filters }: ClientsSearch) {
  return { ...filters, kind: kind === 'all' ? undefined : (kind ?? 'app') }
}

export const defaultSort = '-connected_at'

export const clientsQuery = (search: ClientsSearch) =>
  queryOptions({
    queryKey: ['client', 'list', search],
    queryFn: ({ signal }) =>
      client.clients.list(
        { query: { limit: pageSize, sort: defaultSort, ...filtersOf(search) } },
        { signal },
      ),
    ...keepPreviousRows,
  })

/**
 * Counts the connected clients that match the filters, for lists that also contain disconnected clients.
 */
export const connectedCountQuery = ({
  include: _,
  cursor: _cursor,
  sort: _sort,
  ...filters
}: ClientsSearch) =>
  queryOptions({
    queryKey: ['client', 'connected', filters],
    queryFn: async ({ signal }) =>
      (await client.clients.list({ query: { limit: 1, ...filtersOf(filters) } }, { signal })).total,
  })

/** Counts the clients by state and by app, with the filters of the list but those that it counts by. */
export const clientSummaryQuery = ({ q, client_type, app, namespace, workspace, include }: ClientsSearch) => {
  const query = { q, client_type, app, namespace, workspace, include }
  return queryOptions({
    queryKey: ['client', 'summary', query],
    queryFn: async ({ signal }) => (await client.clients.summary({ query }, { signal })).data,
    ...keepPreviousRows,
  })
}

/**
 * Fetches one client by id, connected or recently disconnected; null if it is neither. No route returns a
 * single client, so this reads all pages. Use it only if the displayed list lacks the client.
 */
export const clientQuery = (id: string) =>
  queryOptions({
    queryKey: ['client', 'one', id],
    queryFn: async ({ signal }): Promise<Client | null> => {
      let cursor: string | null = null
      do {
        const query: Record<string, string | number | null> = { include: 'gone', limit: maxPageSize, cursor }
        const page = await client.clients.list({ query }, { signal })
        const found = page.data.find((row) => row.id === id)
        if (found !== undefined) return found
        cursor = page.next_cursor
      } while (cursor !== null)
      return null
    },
  })
