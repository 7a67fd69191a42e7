import { queryOptions } from '@tanstack/react-query'
import type { QueryInput } from '../../../contract/client.ts'
import type { RunDetail } from '../../../contract/run.ts'
import { client, keepRows } from '../../lib/api.ts'
import { pageSize } from '../../lib/paging.ts'
import { filtersOf, isCustom, type PeriodName } from '../../lib/period.ts'
import type { RunsSearch } from './runs.search.ts'

export const defaultSort = '-created_at'
/** Counts while the address names no period. */
export const defaultPeriod: PeriodName = '24h'
/** A period that ends now moves on even when no run comes in, in milliseconds. */
const slideMs = 30_000

/** What was chosen besides period, workspace, order and page. */
export function isFiltered(search: RunsSearch): boolean {
  const { period, from, to, cursor, sort, workspace, ...filters } = search
  return Object.values(filters).some((value) => value !== undefined)
}

export const isAllTime = (search: RunsSearch): boolean => search.period === 'all' && !isCustom(search)

export const runsQuery = (search: RunsSearch) =>
  queryOptions({
    queryKey: ['run', 'list', search],
    queryFn: ({ signal }) =>
      client.runs.list(
        {
          query: {
            limit: pageSize,
            sort: search.sort ?? defaultSort,
            cursor: search.cursor,
            ...filtersOf(search, defaultPeriod),
          },
        },
        { signal },
      ),
    refetchInterval: isCustom(search) || isAllTime(search) ? false : slideMs,
    ...keepRows,
  })

/** A run never changes, so its key is not one that "a run changed" makes stale. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['one run', id],
    queryFn: async ({ signal }) => (await client.runs.get({ params: { id } }, { signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** What the filters offer. Names come up rarely, so this does not follow every run. */
export const runNamesQuery = queryOptions({
  queryKey: ['run names'],
  queryFn: async ({ signal }) => {
    const { data } = await client.runs.stats({}, { signal })
    return {
      sources: data.by_source.map((one) => one.source),
      providers: data.by_provider.map((one) => one.provider),
      models: data.by_model.map((one) => one.model),
      keys: data.by_ref_key.flatMap((one) => one.ref_key ?? []),
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

/** Names of workspaces by id; one that is gone has none. */
export const workspaceNamesQuery = queryOptions({
  queryKey: ['workspace', 'names'],
  queryFn: async ({ signal }) => {
    const { data } = await client.workspaces.list({ query: { limit: 200, sort: 'name' } }, { signal })
    return data.map(({ id, slug, name }) => ({ id, slug, name }))
  },
})
export type WorkspaceName = { readonly id: string; readonly slug: string; readonly name: string }

type Placed = Pick<RunDetail, 'id' | 'created_at' | 'ref_key' | 'workspace_id'>

/**
 * The next older or newer run of the same key, null at either end. Runs of one batch share a moment, so the list is
 * read from the run's own moment on until the run itself has gone by.
 */
export const neighbourQuery = (run: Placed, direction: 'older' | 'newer') =>
  queryOptions({
    // A newer one may still come; which one is older does not change.
    queryKey: [direction === 'newer' ? 'run' : 'one run', 'neighbour', direction, run.id],
    queryFn: async ({ signal }): Promise<number | null> => {
      const at = Date.parse(run.created_at)
      const span =
        direction === 'older'
          ? { sort: '-created_at', to: new Date(at + 1).toISOString() }
          : { sort: 'created_at', from: run.created_at }
      const same = { ref_key: run.ref_key, workspace: run.workspace_id, limit: pageSize }
      let cursor: string | null = null
      let hasPassed = false
      do {
        const query: QueryInput = { ...same, ...span, cursor }
        const page = await client.runs.list({ query }, { signal })
        for (const { id } of page.data) {
          if (hasPassed) return id
          hasPassed = id === run.id
        }
        cursor = page.next_cursor
      } while (cursor !== null)
      return null
    },
  })
