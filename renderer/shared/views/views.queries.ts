import { queryOptions } from '@tanstack/react-query'
import type { SavedView, ViewPage } from '../../../contract/system/views.ts'
import { parseSearch, stringifySearch } from '../../lib/page/search.ts'
import { client } from '../../lib/service/api.ts'

/** Fetches the own and shared views of a list. */
export const viewsQuery = (page: ViewPage) =>
  queryOptions({
    queryKey: ['view', 'list', page],
    queryFn: async ({ signal }) =>
      (await client.views.list({ query: { page, limit: 200 } }, { signal })).data,
  })

/** Parameters that belong to the visit, not to the view. */
const visitParams = new Set(['view', 'cursor'])

/** Returns the search of a page as the text that a view stores, independent of the order of parameters. */
export function viewText(search: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(search)
    .filter(([name]) => !visitParams.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return stringifySearch(Object.fromEntries(entries)).slice(1)
}

/** Returns the search parameters that open a view. */
export const searchOf = ({ id, query }: Pick<SavedView, 'id' | 'query'>) => ({
  // Undefined clears the selected workspace, unless the view has one.
  workspace: undefined,
  ...parseSearch(query),
  view: id,
})
