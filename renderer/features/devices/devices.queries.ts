import { queryOptions } from '@tanstack/react-query'
import { client, keepPreviousRows } from '../../lib/service/api.ts'
import { pageSize } from '../../lib/service/paging.ts'
import type { DevicesSearch } from './devices.search.ts'

export const defaultSort = '-last_seen_at'

export const devicesQuery = (search: DevicesSearch) =>
  queryOptions({
    queryKey: ['device', 'list', search],
    queryFn: ({ signal }) =>
      client.devices.list({ query: { limit: pageSize, sort: defaultSort, ...search } }, { signal }),
    ...keepPreviousRows,
  })
