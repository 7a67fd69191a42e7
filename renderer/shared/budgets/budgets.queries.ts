import { queryOptions } from '@tanstack/react-query'
import { client } from '../../lib/service/api.ts'

/** Fetches the budgets of the gateway with their use. Only admins may. */
export const budgetsQuery = queryOptions({
  queryKey: ['run', 'budgets'],
  queryFn: async ({ signal }) => (await client.budgets.list({}, { signal })).data,
})
