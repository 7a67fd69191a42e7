import { queryOptions } from '@tanstack/react-query'
import { maxPageSize } from '../../../contract/common/fields.ts'
import { client } from './api.ts'

/** Fetches the workspaces for a selection field. If there are more, the selector in the header finds them. */
export const workspaceChoicesQuery = queryOptions({
  queryKey: ['workspace', 'choices'],
  queryFn: async ({ signal }) =>
    (await client.workspaces.list({ query: { limit: maxPageSize, sort: 'name' } }, { signal })).data,
})

/** Fetches the last names of deleted workspaces. Request it only if a workspace is not among the existing ones. */
export const deletedWorkspacesQuery = queryOptions({
  queryKey: ['workspace', 'deleted'],
  queryFn: async ({ signal }) => (await client.workspaces.deleted({}, { signal })).data,
})
