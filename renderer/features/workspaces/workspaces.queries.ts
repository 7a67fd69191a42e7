import { queryOptions } from '@tanstack/react-query'
import { client, keepPreviousRows } from '../../lib/service/api.ts'
import { pageSize } from '../../lib/service/paging.ts'
import type { WorkspacesSearch } from './workspaces.search.ts'

export const defaultSort = 'name'

export const workspacesQuery = (search: WorkspacesSearch) =>
  queryOptions({
    queryKey: ['workspace', 'list', search],
    queryFn: ({ signal }) =>
      client.workspaces.list({ query: { limit: pageSize, sort: defaultSort, ...search } }, { signal }),
    ...keepPreviousRows,
  })
