import { queryOptions } from '@tanstack/react-query'
import type { Client } from '../../../contract/clients.ts'
import { client, keepRows } from '../../lib/api.ts'
import { pageSize } from '../../lib/paging.ts'
import type { ClientsSearch } from './clients.search.ts'

export const defaultSort = '-connected_at'
/** The most a list route gives at once. */
const widestPage = 200

export const clientsQuery = (search: ClientsSearch) =>
  queryOptions({
    queryKey: ['client', 'list', search],
    queryFn: ({ signal }) =>
      client.clients.list({ query: { limit: pageSize, sort: defaultSort, ...search } }, { signal }),
    ...keepRows,
  })

/** How many of the same filters are connected, when those that left are listed with them. */
export const connectedCountQuery = ({
  include: _,
  cursor: _cursor,
  sort: _sort,
  ...filters
}: ClientsSearch) =>
  queryOptions({
    queryKey: ['client', 'connected', filters],
    queryFn: async ({ signal }) =>
      (await client.clients.list({ query: { limit: 1, ...filters } }, { signal })).total,
  })

/**
 * One client by its id, connected or recently gone; null when it is neither. There is no route for one client, so the
 * pages are walked: asked for only when the list on screen does not hold it.
 */
export const clientQuery = (id: string) =>
  queryOptions({
    queryKey: ['client', 'one', id],
    queryFn: async ({ signal }): Promise<Client | null> => {
      let cursor: string | null = null
      do {
        const query: Record<string, string | number | null> = { include: 'gone', limit: widestPage, cursor }
        const page = await client.clients.list({ query }, { signal })
        const found = page.data.find((row) => row.id === id)
        if (found !== undefined) return found
        cursor = page.next_cursor
      } while (cursor !== null)
      return null
    },
  })
