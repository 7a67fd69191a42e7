import { queryOptions } from '@tanstack/react-query'
import { client } from './api.ts'

/** The most a list route gives at once. */
const widestPage = 200

/** Every workspace, for choosing one; more than these are reached through the selector in the header. */
export const workspaceChoicesQuery = queryOptions({
  queryKey: ['workspace', 'choices'],
  queryFn: async ({ signal }) =>
    (await client.workspaces.list({ query: { limit: widestPage, sort: 'name' } }, { signal })).data,
})
