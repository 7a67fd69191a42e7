import { queryOptions } from '@tanstack/react-query'
import { maxPageSize } from '../../../contract/common/fields.ts'
import { everyNamespace } from '../../../contract/live/frames.ts'
import { client } from '../../lib/service/api.ts'

/**
 * Fetches the name of an app that is connected or was within the last hour; null if there are only consoles.
 */
export const firstAppQuery = queryOptions({
  queryKey: ['client', 'first-app'],
  queryFn: async ({ signal }): Promise<string | null> => {
    const query = { include: 'gone', limit: maxPageSize, sort: 'connected_at' }
    const { data } = await client.clients.list({ query }, { signal })
    return data.find(({ namespace }) => namespace !== everyNamespace)?.app ?? null
  },
})
