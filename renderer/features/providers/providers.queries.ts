import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { gatewaySource } from '../../../contract/gateway/gateway.ts'
import type { Provider } from '../../../contract/models/providers.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'

const refetchMs = 60_000

export const providersQuery = queryOptions({
  queryKey: ['provider', 'list'],
  queryFn: async ({ signal }) => (await client.providers.list({}, { signal })).data,
  // A check that changes nothing is not announced, but it has a newer time.
  refetchInterval: refetchMs,
})

const healthMs = 24 * 3_600_000
/** Maximum number of providers with figures. */
const maxGroups = 200

/** The figures of the calls of each provider through the gateway in the last 24 hours. */
export const gatewayHealthQuery = queryOptions({
  queryKey: ['run', 'gateway-health'],
  queryFn: async ({ signal }) => {
    const from = new Date(Date.now() - healthMs).toISOString()
    const query = { source: [gatewaySource], from, group_by: ['provider' as const], limit: maxGroups }
    const { data } = await client.runs.stats({ query }, { signal })
    return new Map((data.groups ?? []).map((group) => [group.provider, group]))
  },
  refetchInterval: refetchMs,
})

/** Puts the provider from a reply into the cache, and refetches the queries that depend on it. */
export function updateCachedProvider(queries: QueryClient, provider: Provider): void {
  queries.setQueryData(providersQuery.queryKey, (before) =>
    before?.map((cached) => (cached.name === provider.name ? provider : cached)),
  )
  void invalidateEntities(queries, 'provider', 'audit')
}
