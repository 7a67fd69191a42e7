import { queryOptions } from '@tanstack/react-query'
import { client } from './api.ts'

/** Fetches whether there is sample data. It changes with the workspace that contains it. */
export const sampleDataQuery = queryOptions({
  queryKey: ['workspace', 'sample data'],
  queryFn: async ({ signal }) => (await client.sampleData.get({}, { signal })).data,
})
