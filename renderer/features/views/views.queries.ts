import { queryOptions } from '@tanstack/react-query'
import type { SavedView } from '../../../contract/system/views.ts'
import { client, keepPreviousRows } from '../../lib/service/api.ts'
import { pageSize } from '../../lib/service/paging.ts'
import type { ViewsSearch } from './views.search.ts'

/** The lists whose views can be saved, with their addresses. */
const pages = {
  runs: '/runs/{-$id}',
  sessions: '/sessions',
  statistics: '/statistics',
  audit: '/audit/{-$id}',
  prompts: '/prompts',
  clients: '/clients/{-$id}',
} as const

/** Returns the address of a list; undefined if this console has no such list. */
export const addressOfPage = (page: string): (typeof pages)[keyof typeof pages] | undefined =>
  Object.hasOwn(pages, page) ? pages[page as keyof typeof pages] : undefined

export const viewPageQuery = ({ q, cursor, sort }: ViewsSearch) =>
  queryOptions({
    queryKey: ['view', 'page', { q, cursor, sort }],
    queryFn: ({ signal }) =>
      client.views.list({ query: { limit: pageSize, q, cursor, sort: sort ?? 'name' } }, { signal }),
    ...keepPreviousRows,
  })

/** Fetches every view that the user may open. */
export const allViewsQuery = queryOptions({
  queryKey: ['view', 'all'],
  queryFn: async ({ signal }): Promise<SavedView[]> => {
    const views: SavedView[] = []
    let cursor: string | null = null
    do {
      const reply = await client.views.list({ query: { limit: 200, cursor } }, { signal })
      views.push(...reply.data)
      cursor = reply.next_cursor
    } while (cursor !== null)
    return views
  },
})
