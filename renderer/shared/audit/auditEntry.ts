import { queryOptions } from '@tanstack/react-query'
import { client } from '../../lib/service/api.ts'

/** Fetches one audit entry. An entry never changes, so the live connection does not invalidate this key. */
export const auditEntryQuery = (id: string) =>
  queryOptions({
    queryKey: ['audit-entry', id],
    queryFn: async ({ signal }) => (await client.audit.get({ params: { id } }, { signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
  })
