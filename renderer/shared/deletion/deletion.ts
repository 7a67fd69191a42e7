import { queryOptions } from '@tanstack/react-query'
import { client } from '../../lib/service/api.ts'

/** Fetches the state of deletion by age. The service announces each change of it as a change of a setting. */
export const deletionQuery = queryOptions({
  queryKey: ['setting', 'deletion'],
  queryFn: async ({ signal }) => (await client.settings.deletion({}, { signal })).data,
})
