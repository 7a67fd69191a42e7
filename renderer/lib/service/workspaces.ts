import { queryOptions } from '@tanstack/react-query'
import { maxPageSize } from '../../../contract/common/fields.ts'
import type { Workspace } from '../../../contract/system/workspaces.ts'
import { client } from './api.ts'

/** Fetches all workspaces, for selection fields and names. */
export const workspaceChoicesQuery = queryOptions({
  queryKey: ['workspace', 'choices'],
  queryFn: async ({ signal }) => {
    const found: Workspace[] = []
    let cursor: string | undefined
    do {
      const query = { limit: maxPageSize, sort: 'name', cursor }
      const page = await client.workspaces.list({ query }, { signal })
      found.push(...page.data)
      cursor = page.next_cursor ?? undefined
    } while (cursor !== undefined)
    return found
  },
})

/** Fetches a workspace by id or slug. */
export const workspaceQuery = (idOrSlug: string | undefined) =>
  queryOptions({
    queryKey: ['workspace', 'one', idOrSlug],
    queryFn: async ({ signal }) =>
      (await client.workspaces.get({ params: { id: idOrSlug ?? '' } }, { signal })).data,
    enabled: idOrSlug !== undefined,
  })

/** Fetches the last names of deleted workspaces. Request it only if a workspace is not among the existing ones. */
export const deletedWorkspacesQuery = queryOptions({
  queryKey: ['workspace', 'deleted'],
  queryFn: async ({ signal }) => (await client.workspaces.deleted({}, { signal })).data,
})
