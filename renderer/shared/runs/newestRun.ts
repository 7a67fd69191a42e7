import { queryOptions } from '@tanstack/react-query'
import { client } from '../../lib/service/api.ts'

/** Fetches the newest run of a workspace, regardless of period and filters; null if there is none. */
export const newestRunQuery = (workspace: string | undefined) =>
  queryOptions({
    queryKey: ['run', 'newest', workspace],
    queryFn: async ({ signal }) => {
      const { data } = await client.runs.list({ query: { limit: 1, workspace } }, { signal })
      return data[0] ?? null
    },
  })
