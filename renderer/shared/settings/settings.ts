import { queryOptions } from '@tanstack/react-query'
import { client } from '../../lib/service/api.ts'

/** Fetches the settings of the service. Only admins may. */
export const settingsQuery = queryOptions({
  queryKey: ['setting', 'all'],
  queryFn: async ({ signal }) => (await client.settings.get({}, { signal })).data,
})
