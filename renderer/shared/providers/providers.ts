import { queryOptions } from '@tanstack/react-query'
import { client } from '../../lib/service/api.ts'

/** Fetches the model providers, and which of them can be called. */
export const providerChoicesQuery = queryOptions({
  queryKey: ['provider', 'choices'],
  queryFn: async ({ signal }) => (await client.playground.providers({}, { signal })).data,
})
