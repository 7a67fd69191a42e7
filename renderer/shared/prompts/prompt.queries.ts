import { queryOptions } from '@tanstack/react-query'
import { client } from '../../lib/service/api.ts'

/** Fetches a prompt with its draft. */
export const promptQuery = (id: string) =>
  queryOptions({
    queryKey: ['prompt', 'one', id],
    queryFn: async ({ signal }) => (await client.prompts.get({ params: { id } }, { signal })).data,
  })
