import { queryOptions } from '@tanstack/react-query'
import { client } from './api.ts'

/** An entry never changes: its key is not one that the live connection invalidates. */
export const auditEntryQuery = (id: string) =>
  queryOptions({
    queryKey: ['audit-entry', id],
    queryFn: async ({ signal }) => (await client.audit.get({ params: { id } }, { signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
