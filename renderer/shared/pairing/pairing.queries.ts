import { queryOptions } from '@tanstack/react-query'
import { client } from '../../lib/service/api.ts'

/** Fetches the latest pairing window of the signed-in admin; null if there is none. */
export const windowQuery = queryOptions({
  queryKey: ['pairing', 'window'],
  queryFn: async ({ signal }) => (await client.pairing.window({}, { signal })).data,
  staleTime: 0,
})

/** Fetches the pairing requests of the last minutes. */
export const requestsQuery = queryOptions({
  queryKey: ['pairing', 'requests'],
  queryFn: async ({ signal }) => (await client.pairing.requests({}, { signal })).data,
  staleTime: 0,
})
