import { queryOptions } from '@tanstack/react-query'
import { type AuditAction, auditActions } from '../../../contract/system/audit.ts'
import { zoneName } from '../../lib/format/format.ts'
import { intervalOf, isCustom, previousRange, type Range, rangeOf } from '../../lib/format/period.ts'
import { client, keepPreviousRows } from '../../lib/service/api.ts'
import { markedActions } from './charts/events.ts'
import { defaultPeriod, type OverviewSearch, type Subject, subjectOf } from './overview.search.ts'
import { type OverviewStats, previousStatsOf } from './tiles/stats.ts'

/** Refetch interval in milliseconds: a period that ends now changes even without new runs. */
const refetchMs = 30_000
const endsNow = (search: Subject): boolean => !isCustom(search) && search.period !== 'all'

/** Returns workspace and filters as query parameters, without the period. */
function filtersOf({ period: _period, from: _from, to: _to, ...filters }: Subject) {
  return filters
}

/** Fetches the statistics of the period, and those of the one right before it if there is one. */
export const overviewStatsQuery = (search: OverviewSearch) => {
  const subject = subjectOf(search)
  return queryOptions({
    queryKey: ['run', 'stats', subject],
    queryFn: async ({ signal }): Promise<OverviewStats> => {
      const now = Date.now()
      const requestedRange: Range = rangeOf(subject, defaultPeriod, now)
      const before = previousRange(subject, defaultPeriod, now)
      const query = {
        ...filtersOf(subject),
        ...requestedRange,
        ...intervalOf(requestedRange, now),
        tz: zoneName(),
        ...(before !== null && {
          compare_from: before.from,
          compare_to: before.to,
          compare_series: 'true' as const,
        }),
      }
      const { data: current } = await client.runs.stats({ query }, { signal })
      return {
        subject,
        current,
        previous: before === null ? null : previousStatsOf(current),
        requestedRange,
        now,
      }
    },
    refetchInterval: endsNow(subject) ? refetchMs : false,
    ...keepPreviousRows,
  })
}

const maxErrorGroups = 6

/** Fetches the most frequent errors of the period, grouped by message. */
export const errorsQuery = (search: OverviewSearch) => {
  const subject = subjectOf(search)
  return queryOptions({
    queryKey: ['run', 'errors', subject],
    queryFn: async ({ signal }) => {
      const query = { limit: maxErrorGroups, ...filtersOf(subject), ...rangeOf(subject, defaultPeriod) }
      return (await client.runs.errors({ query }, { signal })).data
    },
    ...keepPreviousRows,
  })
}

/** Actions that change nothing. */
const notChanges: readonly AuditAction[] = ['login', 'login_failed', 'logout', 'export', 'budget_warning']
const changes = auditActions.filter((action) => !notChanges.includes(action))

export const latestChangesQuery = (workspace: string | undefined) =>
  queryOptions({
    queryKey: ['audit', 'latest changes', workspace],
    queryFn: ({ signal }) =>
      client.audit.list({ query: { limit: 6, action: changes, workspace } }, { signal }),
  })

/** Fetches the newest publish, rollback or promotion; null if there is none. */
export const lastPublishQuery = (workspace: string | undefined) =>
  queryOptions({
    queryKey: ['audit', 'last publish', workspace],
    queryFn: async ({ signal }) => {
      const query = { limit: 1, action: markedActions.prompts, resource: 'prompt', workspace }
      return (await client.audit.list({ query }, { signal })).data[0] ?? null
    },
  })

/** Maximum number of events to fetch, separately for people and for prompts. */
const maxEvents = 200

/**
 * Fetches the events to mark. Role changes and sign-ins belong to no workspace, so only prompts are filtered
 * by it.
 */
export const eventsQuery = (search: OverviewSearch) => {
  const { workspace, period, from, to } = search
  return queryOptions({
    queryKey: ['audit', 'events', { workspace, period, from, to }],
    queryFn: async ({ signal }) => {
      const query = { limit: maxEvents, ...rangeOf({ period, from, to }, defaultPeriod) }
      const [people, prompts] = await Promise.all([
        client.audit.list({ query: { ...query, action: markedActions.people } }, { signal }),
        client.audit.list({ query: { ...query, action: markedActions.prompts, workspace } }, { signal }),
      ])
      return { entries: [...people.data, ...prompts.data], total: people.total + prompts.total }
    },
    ...keepPreviousRows,
  })
}

/** Counts the clients of apps; sessions of the console are not among them. */
export const connectedQuery = queryOptions({
  queryKey: ['client', 'connected'],
  queryFn: async ({ signal }) =>
    (await client.clients.list({ query: { limit: 1, kind: 'app' } }, { signal })).total,
})
