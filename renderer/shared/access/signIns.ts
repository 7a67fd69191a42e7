import { queryOptions } from '@tanstack/react-query'
import { client } from '../../lib/service/api.ts'

/** Fetches from where the user signed in. The key starts with `session`, because each sign-in announces that. */
export const signInsQuery = queryOptions({
  queryKey: ['session', 'sign-ins'],
  queryFn: async ({ signal }) => (await client.signIns.list({}, { signal })).data,
})
