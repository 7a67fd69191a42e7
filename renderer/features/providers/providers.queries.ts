import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Provider } from '../../../contract/models/providers.ts'
import { client } from '../../lib/service/api.ts'

const refetchMs = 60_000

export const providersQuery = queryOptions({
  queryKey: ['provider', 'list'],
  queryFn: async ({ signal }) => (await client.providers.list({}, { signal })).data,
  // A check that changes nothing is not announced, but it has a newer time.
  refetchInterval: refetchMs,
})

/** Puts the provider from a reply into the cache, and refetches the queries that depend on it. */
export function updateCachedProvider(queries: QueryClient, provider: Provider): void {
  queries.setQueryData(providersQuery.queryKey, (before) =>
    before?.map((cached) => (cached.name === provider.name ? provider : cached)),
  )
  for (const entity of ['provider', 'audit']) void queries.invalidateQueries({ queryKey: [entity] })
}
