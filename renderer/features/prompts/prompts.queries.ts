import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { maxPageSize } from '../../../contract/common/fields.ts'
import type { Prompt } from '../../../contract/prompts/prompt.ts'
import type { RunStats } from '../../../contract/runs/run-stats.ts'
import { zoneName } from '../../lib/format/format.ts'
import { intervalOf, type PeriodSearch, type Range, rangeOf } from '../../lib/format/period.ts'
import { client, invalidateEntities, keepPreviousRows } from '../../lib/service/api.ts'
import { pageSize } from '../../lib/service/paging.ts'
import { defaultSort } from '../../shared/resources/list/search.ts'
import { keyRowOf } from './keys/keyRow.ts'
import { type PromptsSearch, runChartPeriods } from './list/prompts.search.ts'

/** Fetches a page of keys with their environments. */
export const keysQuery = ({ sort = defaultSort, cursor, view: _view, ...filters }: PromptsSearch) =>
  queryOptions({
    queryKey: ['prompt', 'list', 'keys', sort, cursor, filters],
    queryFn: async ({ signal }) => {
      const query = { limit: pageSize, sort, cursor, ...filters }
      const page = await client.promptKeys.list({ query }, { signal })
      return { ...page, data: page.data.map(keyRowOf) }
    },
    ...keepPreviousRows,
  })

/** Fetches a page of the trash, which has only these filters. */
export const trashQuery = ({ sort = defaultSort, cursor, workspace, q }: PromptsSearch) =>
  queryOptions({
    queryKey: ['prompt', 'list', 'trash', sort, cursor, workspace, q],
    queryFn: ({ signal }) => {
      const query = { limit: pageSize, sort, cursor, workspace, q, include: 'deleted', fields: 'summary' }
      return client.prompts.list({ query }, { signal })
    },
    ...keepPreviousRows,
  })

export const facetsQuery = ({ workspace, env }: Pick<PromptsSearch, 'workspace' | 'env'>) =>
  queryOptions({
    queryKey: ['prompt', 'facets', workspace, env],
    queryFn: async ({ signal }) =>
      (await client.prompts.facets({ query: { workspace, env, by: 'key' } }, { signal })).data,
    ...keepPreviousRows,
  })

/** Fetches the prompts with the same key in all environments of the workspace. */
export const siblingsQuery = ({ key, workspace_id: workspace }: Pick<Prompt, 'key' | 'workspace_id'>) =>
  queryOptions({
    queryKey: ['prompt', 'siblings', workspace, key],
    queryFn: async ({ signal }) =>
      (await client.prompts.list({ query: { workspace, key } }, { signal })).data,
  })

/** Fetches the prompts with these keys in one environment. Keys that do not exist are absent. */
export const includedQuery = (place: {
  readonly workspace: string
  readonly env: Prompt['env']
  readonly keys: readonly string[]
}) =>
  queryOptions({
    queryKey: ['prompt', 'included', place],
    queryFn: async ({ signal }) => {
      const { workspace, env, keys } = place
      const query = {
        workspace,
        env,
        key: keys.slice(0, maxPageSize),
        limit: maxPageSize,
        fields: 'summary',
      } as const
      return (await client.prompts.list({ query }, { signal })).data
    },
    ...keepPreviousRows,
  })

/** Fetches the draft with what it includes, and the prompts that include this one. */
export const resolvedQuery = ({ id }: Pick<Prompt, 'id'>) =>
  queryOptions({
    queryKey: ['prompt', 'resolved', id],
    queryFn: async ({ signal }) =>
      (await client.promptVersions.resolved({ params: { id }, query: { version: 'draft' } }, { signal }))
        .data,
  })

export const versionsQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['prompt', 'versions', id],
    queryFn: ({ signal, pageParam }) =>
      client.promptVersions.list(
        {
          params: { id },
          query: { limit: pageSize, sort: '-version', fields: 'summary', cursor: pageParam },
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  })

/** Fetches a comparison. `toId` is the prompt of `to`, if it is another one. */
export const diffQuery = (id: string, from: string, to: string, toId?: string) =>
  queryOptions({
    queryKey: ['prompt', 'diff', id, from, to, toId],
    queryFn: async ({ signal }) =>
      (await client.promptVersions.diff({ params: { id }, query: { from, to, to_id: toId } }, { signal }))
        .data,
    ...keepPreviousRows,
  })

export const impactQuery = (id: string) =>
  queryOptions({
    queryKey: ['prompt', 'impact', id],
    queryFn: async ({ signal }) => (await client.promptRollout.impact({ params: { id } }, { signal })).data,
    staleTime: 0,
  })

/**
 * While clients are outdated, a version published less than `recentPublishMs` milliseconds ago is also
 * polled, every `pollMs` milliseconds.
 */
const recentPublishMs = 10_000
const pollMs = 400

/**
 * Fetches the convergence. The key starts with `client`, which acknowledgements and connections invalidate;
 * `version` causes a new request when another version is served.
 */
export const convergenceQuery = (id: string, version: string | null) =>
  queryOptions({
    queryKey: ['client', 'convergence', id, version],
    queryFn: async ({ signal }) =>
      (await client.promptRollout.convergence({ params: { id } }, { signal })).data,
    refetchInterval: ({ state }) => {
      const { data } = state
      if (data === undefined || data.behind === 0 || data.published_at === null) return false
      return Date.now() - Date.parse(data.published_at) < recentPublishMs ? pollMs : false
    },
    staleTime: 0,
    ...keepPreviousRows,
  })

type PromptKey = Pick<Prompt, 'key' | 'workspace_id' | 'env'>

export type PromptRunStats = {
  readonly stats: RunStats
  /** Number of runs of the key in the period that are not included, because their environment is unknown. */
  readonly unknownEnv: number
  /** The requested range; links to rows use the same one. */
  readonly requestedRange: Range
  /** Time of the request, in epoch milliseconds. */
  readonly now: number
}

/** Fetches the statistics of a prompt in its environment, and the number of runs in an unknown one. */
export const runStatsQuery = ({ key, workspace_id: workspace, env }: PromptKey, period: PeriodSearch) =>
  queryOptions({
    queryKey: ['run', 'stats of prompt', workspace, key, env, period],
    queryFn: async ({ signal }): Promise<PromptRunStats> => {
      const now = Date.now()
      const requestedRange = rangeOf(period, runChartPeriods[0], now)
      const runs = { ref_key: key, workspace, ...requestedRange }
      const series = { ...intervalOf(requestedRange, now), tz: zoneName() }
      const [inEnv, unknown] = await Promise.all([
        client.runs.stats({ query: { ...runs, ...series, env } }, { signal }),
        client.runs.stats({ query: { ...runs, has_no: 'env' } }, { signal }),
      ])
      return { stats: inEnv.data, unknownEnv: unknown.data.total, requestedRange, now }
    },
    ...keepPreviousRows,
  })

export const auditOfQuery = (id: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['audit', 'of prompt', id, cursor],
    queryFn: ({ signal }) =>
      client.audit.list(
        { query: { resource: 'prompt', resource_id: id, limit: pageSize, cursor } },
        { signal },
      ),
    ...keepPreviousRows,
  })

/** Invalidates queries of prompts and of the audit log. */
export const refreshPrompts = (queries: QueryClient): Promise<unknown> =>
  invalidateEntities(queries, 'prompt', 'audit')

/** Invalidates also the queries that depend on the number of prompts in a workspace. */
export const refreshPromptsAndWorkspaces = (queries: QueryClient): Promise<unknown> =>
  invalidateEntities(queries, 'prompt', 'audit', 'workspace')
