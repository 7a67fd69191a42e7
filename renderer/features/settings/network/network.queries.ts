import { queryOptions } from '@tanstack/react-query'
import { client } from '../../../lib/service/api.ts'

/** Addresses change without an event, so they are fetched again while the page is open, in milliseconds. */
const refetchMs = 10_000

/** Fetches the state of sharing. Only admins may. */
export const networkQuery = queryOptions({
  queryKey: ['setting', 'network'],
  queryFn: async ({ signal }) => (await client.network.get({}, { signal })).data,
  refetchInterval: refetchMs,
})
