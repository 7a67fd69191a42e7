import { queryOptions } from '@tanstack/react-query'
import { client } from '../../lib/service/api.ts'

/** Number of events that the bell lists. */
export const latestCount = 20

export const latestEventsQuery = queryOptions({
  queryKey: ['alert', 'events', 'latest'],
  queryFn: async ({ signal }) =>
    (await client.alerts.events({ query: { limit: latestCount } }, { signal })).data,
})

/** Fetches the time up to which the user has seen the events; null if none. */
export const seenEventsQuery = queryOptions({
  queryKey: ['alert', 'seen'],
  queryFn: async ({ signal }) => (await client.alerts.seen({}, { signal })).data.until,
})
