import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Environment } from '../../../contract/common/environments.ts'
import type { Run } from '../../../contract/runs/run.ts'
import { client } from '../../lib/service/api.ts'
import { QueryPending } from '../../ui/feedback/QueryPending.tsx'

type Filters = {
  readonly ref_key: string
  readonly workspace: string
  readonly env?: Environment
  readonly source?: string
}
type Props = {
  readonly filters: Filters
  readonly limit: number
  readonly empty: NonNullable<ReactNode>
  readonly children: (runs: readonly Run[]) => ReactNode
}

/** Fetches the newest runs that match the filters. */
const latestRunsQuery = (filters: Filters, limit: number) =>
  queryOptions({
    queryKey: ['run', 'latest', filters, limit],
    queryFn: ({ signal }) =>
      client.runs.list({ query: { ...filters, limit, sort: '-created_at' } }, { signal }),
  })

/** The newest runs of a prompt, agent or workflow, with the states for loading, errors and no runs. */
export function LatestRuns({ filters, limit, empty, children }: Props) {
  const query = useQuery(latestRunsQuery(filters, limit))
  const runs = query.data?.data
  if (runs === undefined) {
    return <QueryPending query={query} height={160} />
  }
  return runs.length === 0 ? empty : children(runs)
}
