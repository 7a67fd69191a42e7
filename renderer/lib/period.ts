import { z } from 'zod'
import { instant, oneOf } from './search.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** The periods on offer, in milliseconds. `all` has no start. */
export const periods = {
  '15m': 15 * minute,
  '1h': hour,
  '6h': 6 * hour,
  '24h': day,
  '7d': 7 * day,
  '30d': 30 * day,
  '90d': 90 * day,
  all: null,
} as const
export type PeriodName = keyof typeof periods
export const periodNames = Object.keys(periods) as [PeriodName, ...PeriodName[]]

/** Goes into a page's search schema: a named period, or `from` and `to` (ISO 8601) for a custom one. */
export const periodSearch = { period: oneOf(periodNames), from: instant(), to: instant() }
const Period = z.object(periodSearch)
export type PeriodSearch = z.output<typeof Period>

export type Range = { readonly from?: string; readonly to?: string }

export const isCustom = (search: PeriodSearch): boolean =>
  search.from !== undefined || search.to !== undefined

/** What to ask the service for. Call it when fetching, not when rendering: a named period ends now. */
export function rangeOf(search: PeriodSearch, fallback: PeriodName, now = Date.now()): Range {
  if (isCustom(search)) {
    const { from, to } = search
    return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  }
  const length = periods[search.period ?? fallback]
  return length === null ? {} : { from: new Date(now - length).toISOString() }
}

/**
 * What a list and its export both ask for: the filters of an address without page and order, and the period as instants.
 * A named period ends now, so call it when fetching.
 */
export function filtersOf<S extends PeriodSearch & { cursor?: unknown; sort?: unknown }>(
  { cursor: _cursor, sort: _sort, period, from, to, ...filters }: S,
  fallback: PeriodName,
) {
  return { ...filters, ...rangeOf({ period, from, to }, fallback) }
}

/** From here to there `auto` would draw a handful of hours. */
const fiveMinutes = { from: 2 * hour + 5 * minute, to: 12 * hour }

/** The width of a chart's points to ask for where the service's own choice is too coarse to look at. */
export function intervalOf({ from, to }: Range, now = Date.now()): { readonly interval?: '5min' } {
  if (from === undefined) return {}
  const length = (to === undefined ? now : Date.parse(to)) - Date.parse(from)
  return length > fiveMinutes.from && length <= fiveMinutes.to + minute ? { interval: '5min' } : {}
}

/** The same length of time, right before. Null where there is none (all time, open start). */
export function previousRange(search: PeriodSearch, fallback: PeriodName, now = Date.now()): Range | null {
  const { from, to } = rangeOf(search, fallback, now)
  if (from === undefined) return null
  const start = Date.parse(from)
  const end = to === undefined ? now : Date.parse(to)
  return { from: new Date(start - (end - start)).toISOString(), to: from }
}
