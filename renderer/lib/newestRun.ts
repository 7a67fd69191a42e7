import { queryOptions } from '@tanstack/react-query'
import { client } from './api.ts'

/** The newest run there is, whatever the period and filters; null when there is none at all. */
export const newestRunQuery = (workspace: string | undefined) =>
  queryOptions({
    queryKey: ['run', 'newest', workspace],
    queryFn: async ({ signal }) => {
      const { data } = await client.runs.list({ query: { limit: 1, workspace } }, { signal })
      return data[0] ?? null
    },
  })
