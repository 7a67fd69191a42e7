import { queryOptions } from '@tanstack/react-query'
import type { AuditAction } from '../../../contract/audit.ts'
import { client, keepRows } from '../../lib/api.ts'
import { isCustom, previousRange, rangeOf } from '../../lib/period.ts'
import { defaultPeriod, type OverviewSearch } from './overview.search.ts'

/** A period that ends now moves on even when no run comes in, in milliseconds. */
const slideMs = 30_000
const isSliding = (search: OverviewSearch): boolean => !isCustom(search) && search.period !== 'all'

/** The period and, for comparison, the one right before it; null where there is none. Both end at the same instant. */
export const overviewStatsQuery = (search: OverviewSearch) =>
  queryOptions({
    queryKey: ['run', 'stats', search],
    queryFn: async ({ signal }) => {
      const now = Date.now()
      const { workspace } = search
      const before = previousRange(search, defaultPeriod, now)
      const [current, previous] = await Promise.all([
        client.runs.stats({ query: { workspace, ...rangeOf(search, defaultPeriod, now) } }, { signal }),
        before === null ? null : client.runs.stats({ query: { workspace, ...before } }, { signal }),
      ])
      return { current: current.data, previous: previous?.data ?? null }
    },
    refetchInterval: isSliding(search) ? slideMs : false,
    ...keepRows,
  })

/** So many of the latest errors are looked at; beyond them nothing is claimed. */
export const latestErrors = 50

export const latestErrorsQuery = (search: OverviewSearch) =>
  queryOptions({
    queryKey: ['run', 'errors', search],
    queryFn: async ({ signal }) => {
      const range = rangeOf(search, defaultPeriod)
      const { workspace } = search
      const query = { limit: latestErrors, status: 'error', workspace, ...range }
      return (await client.runs.list({ query }, { signal })).data
    },
    ...keepRows,
  })

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

export const connectedQuery = queryOptions({
  queryKey: ['client', 'connected'],
  queryFn: async ({ signal }) => (await client.clients.list({ query: { limit: 1 } }, { signal })).total,
})
