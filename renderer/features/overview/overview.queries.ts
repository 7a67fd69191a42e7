import { queryOptions } from '@tanstack/react-query'
import type { AuditAction } from '../../../contract/audit.ts'
import { client, keepRows } from '../../lib/api.ts'
import { intervalOf, isCustom, previousRange, type Range, rangeOf } from '../../lib/period.ts'
import { markedActions } from './events.ts'
import { defaultPeriod, type OverviewSearch, type Subject, subjectOf } from './overview.search.ts'
import type { OverviewStats } from './stats.ts'

/** A period that ends now moves on even when no run comes in, in milliseconds. */
const slideMs = 30_000
const isSliding = (search: Subject): boolean => !isCustom(search) && search.period !== 'all'

/** Workspace and filters as the API takes them. */
function filtersOf({ period: _period, from: _from, to: _to, ...filters }: Subject) {
  return filters
}

/** The period and, for comparison, the one right before it; null where there is none. Both end at the same instant. */
export const overviewStatsQuery = (search: OverviewSearch) => {
  const subject = subjectOf(search)
  return queryOptions({
    queryKey: ['run', 'stats', subject],
    queryFn: async ({ signal }): Promise<OverviewStats> => {
      const now = Date.now()
      const filters = filtersOf(subject)
      const asked: Range = rangeOf(subject, defaultPeriod, now)
      const before = previousRange(subject, defaultPeriod, now)
      const ask = (width: ReturnType<typeof intervalOf>) =>
        Promise.all([
          client.runs.stats({ query: { ...filters, ...asked, ...width } }, { signal }),
          before === null
            ? null
            : client.runs.stats({ query: { ...filters, ...before, ...width } }, { signal }),
        ])
      let [current, previous] = await ask(intervalOf(asked, now))
      // One of them was too full to be drawn as finely as was asked for: points of two widths cannot be compared.
      if (previous !== null && previous.data.interval !== current.data.interval)
        [current, previous] = await ask({})
      return { subject, current: current.data, previous: previous?.data ?? null, asked, now }
    },
    refetchInterval: isSliding(subject) ? slideMs : false,
    ...keepRows,
  })
}

/** So many of the latest errors are looked at; beyond them nothing is claimed. */
export const latestErrors = 50

export const latestErrorsQuery = (search: OverviewSearch) => {
  const subject = subjectOf(search)
  return queryOptions({
    queryKey: ['run', 'errors', subject],
    queryFn: async ({ signal }) => {
      const query = {
        limit: latestErrors,
        status: 'error',
        ...filtersOf(subject),
        ...rangeOf(subject, defaultPeriod),
      }
      return (await client.runs.list({ query }, { signal })).data
    },
    ...keepRows,
  })
}

/** What people changed, without what merely was done: signing in, signing out, exporting. */
const changes: readonly AuditAction[] = [
  'create',
  'update',
  'delete',
  'publish',
  'rollback',
  'promote',
  'role_change',
  'password_change',
  'disconnect',
  'revoke',
  'setting_change',
  'restore',
]

export const latestChangesQuery = (workspace: string | undefined) =>
  queryOptions({
    queryKey: ['audit', 'latest changes', workspace],
    queryFn: ({ signal }) =>
      client.audit.list({ query: { limit: 6, action: changes, workspace } }, { signal }),
  })

/** The newest change of what is served; null while nothing was ever published. */
export const lastPublishQuery = (workspace: string | undefined) =>
  queryOptions({
    queryKey: ['audit', 'last publish', workspace],
    queryFn: async ({ signal }) => {
      const query = { limit: 1, action: markedActions.prompts, resource: 'prompt', workspace }
      return (await client.audit.list({ query }, { signal })).data[0] ?? null
    },
  })

/** Most events a period can have marked, of the people's and of the prompts' each. */
export const mostEvents = 200

/** What the charts mark. Roles and sign-ins belong to no workspace; what is published does. */
export const eventsQuery = (search: OverviewSearch) => {
  const { workspace, period, from, to } = search
  return queryOptions({
    queryKey: ['audit', 'events', { workspace, period, from, to }],
    queryFn: async ({ signal }) => {
      const query = { limit: mostEvents, ...rangeOf({ period, from, to }, defaultPeriod) }
      const [people, prompts] = await Promise.all([
        client.audit.list({ query: { ...query, action: markedActions.people } }, { signal }),
        client.audit.list({ query: { ...query, action: markedActions.prompts, workspace } }, { signal }),
      ])
      return { entries: [...people.data, ...prompts.data], total: people.total + prompts.total }
    },
    ...keepRows,
  })
}

export const connectedQuery = queryOptions({
  queryKey: ['client', 'connected'],
  queryFn: async ({ signal }) => (await client.clients.list({ query: { limit: 1 } }, { signal })).total,
})
