import { queryOptions } from '@tanstack/react-query'
import { client } from '../../lib/service/api.ts'

/**
 * Fetches the name of an app that is connected or was within the last hour; null if there are only consoles.
 */
export const firstAppQuery = queryOptions({
  queryKey: ['client', 'first-app'],
  queryFn: async ({ signal }): Promise<string | null> => {
    const query = { include: 'gone', kind: 'app', limit: 1, sort: 'connected_at' }
    return (await client.clients.list({ query }, { signal })).data[0]?.app ?? null
  },
})

/** Fetches the newest run that is not in the workspace with the sample data; null if there is none. */
export const ownRunQuery = (sampleWorkspace: string | null) =>
  queryOptions({
    queryKey: ['run', 'newest own', sampleWorkspace],
    queryFn: async ({ signal }) => {
      const query = { limit: 1, ...(sampleWorkspace !== null && { not_workspace: sampleWorkspace }) }
      return (await client.runs.list({ query }, { signal })).data[0] ?? null
    },
  })

export const promptCountQuery = queryOptions({
  queryKey: ['prompt', 'count'],
  queryFn: async ({ signal }) => (await client.prompts.list({ query: { limit: 1 } }, { signal })).total,
})
