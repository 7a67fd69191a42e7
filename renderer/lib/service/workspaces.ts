import { queryOptions } from '@tanstack/react-query'
import { client } from './api.ts'

/** Most rows that a list route returns at once. */
const maxPageSize = 200

/** Fetches the workspaces for a selection field. If there are more, the selector in the header finds them. */
export const workspaceChoicesQuery = queryOptions({
  queryKey: ['workspace', 'choices'],
  queryFn: async ({ signal }) =>
    (await client.workspaces.list({ query: { limit: maxPageSize, sort: 'name' } }, { signal })).data,
})
