import { queryOptions } from '@tanstack/react-query'
import { client } from '../../lib/service/api.ts'

/** Fetches suggestions for filters. New names are rare, so new runs do not invalidate them. */
export const runNamesQuery = queryOptions({
  queryKey: ['run names'],
  queryFn: async ({ signal }) => {
    const { data } = await client.runs.stats({}, { signal })
    return {
      sources: data.by_source.map((row) => row.source),
      providers: data.by_provider.map((row) => row.provider),
      models: data.by_model.map((row) => row.model),
      // A key has a row for each of its environments.
      keys: [...new Set(data.by_ref_key.flatMap((row) => row.ref_key ?? []))],
    }
  },
  staleTime: 300_000,
})
export type RunNames = {
  readonly sources: readonly string[]
  readonly providers: readonly string[]
  readonly models: readonly string[]
  readonly keys: readonly string[]
}
