import { queryOptions } from '@tanstack/react-query'
import { filtersOf, type PeriodName } from '../../lib/format/period.ts'
import { client, keepPreviousRows } from '../../lib/service/api.ts'
import { pageSize } from '../../lib/service/paging.ts'
import type { AlertHistorySearch, AlertsSearch } from './alerts.search.ts'

export const defaultSort = 'name'
/** The period of the history if the address names none. */
export const defaultPeriod: PeriodName = '30d'
/** Refetch interval in milliseconds: an evaluation changes the latest value without a frame. */
const refetchMs = 60_000

export const alertsQuery = (search: AlertsSearch) =>
  queryOptions({
    queryKey: ['alert', 'list', search],
    queryFn: ({ signal }) =>
      client.alerts.list({ query: { limit: pageSize, sort: defaultSort, ...search } }, { signal }),
    refetchInterval: refetchMs,
    ...keepPreviousRows,
  })

export const alertQuery = (id: string) =>
  queryOptions({
    queryKey: ['alert', 'one', id],
    queryFn: async ({ signal }) => (await client.alerts.get({ params: { id } }, { signal })).data,
    refetchInterval: refetchMs,
  })

export const alertEventsQuery = (search: AlertHistorySearch) =>
  queryOptions({
    queryKey: ['alert', 'events', search],
    queryFn: ({ signal }) =>
      client.alerts.events(
        { query: { limit: pageSize, cursor: search.cursor, ...filtersOf(search, defaultPeriod) } },
        { signal },
      ),
    ...keepPreviousRows,
  })

/** Number of events in the drawer of an alert. */
const drawerEvents = 5

export const eventsOfQuery = (alert: string) =>
  queryOptions({
    queryKey: ['alert', 'events of', alert],
    queryFn: async ({ signal }) =>
      (await client.alerts.events({ query: { limit: drawerEvents, alert } }, { signal })).data,
  })

export const alertEventQuery = (id: string) =>
  queryOptions({
    queryKey: ['alert', 'event', id],
    queryFn: async ({ signal }) => (await client.alerts.event({ params: { id } }, { signal })).data,
  })
