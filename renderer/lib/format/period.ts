import { z } from 'zod'
import { oneOf, timeParam } from '../page/search.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Named periods, in milliseconds. `all` has no start. */
const periods = {
  '15m': 15 * minute,
  '1h': hour,
  '6h': 6 * hour,
  '24h': day,
  '7d': 7 * day,
  '30d': 30 * day,
  '90d': 90 * day,
  all: null,
} as const
type RelativePeriod = keyof typeof periods
export const relativePeriodNames = Object.keys(periods) as [RelativePeriod, ...RelativePeriod[]]

/** Periods of the calendar in the time zone of the viewer. Weeks begin on Monday. */
export const calendarPeriodNames = [
  'today',
  'yesterday',
  'this_week',
  'last_week',
  'this_month',
  'last_month',
] as const
type CalendarPeriod = (typeof calendarPeriodNames)[number]

export type PeriodName = RelativePeriod | CalendarPeriod
const periodNames: readonly [PeriodName, ...PeriodName[]] = [...relativePeriodNames, ...calendarPeriodNames]

/** Part of a page's search schema: a named period, or `from` and `to` (ISO 8601) for a custom one. */
export const periodSearch = { period: oneOf(periodNames), from: timeParam(), to: timeParam() }
const Period = z.object(periodSearch)
export type PeriodSearch = z.output<typeof Period>

export type Range = { readonly from?: string; readonly to?: string }

/** True if the address has a custom period instead of a named one. */
export const isCustom = (search: PeriodSearch): boolean =>
  search.from !== undefined || search.to !== undefined

/**
 * Rounds a time down, to 5 s for periods up to an hour, 1 min up to a day, and 5 min beyond. Viewers of the
 * same period then send the same request, and the service computes its reply once.
 */
function roundDown(time: number, length: number): number {
  const step = length <= hour ? 5000 : length <= day ? minute : 5 * minute
  return Math.floor(time / step) * step
}

/**
 * Returns the range to request. Call it when fetching, not when rendering, because a named period ends now.
 * The start of a relative period is rounded down, so the range contains the whole period.
 */
export function rangeOf(search: PeriodSearch, fallback: PeriodName, now = Date.now()): Range {
  if (isCustom(search)) {
    const { from, to } = search
    return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  }
  const period = search.period ?? fallback
  if (!isRelative(period)) return calendarRange(period, new Date(now))
  const length = periods[period]
  return length === null ? {} : { from: new Date(roundDown(now - length, length)).toISOString() }
}

const isRelative = (period: PeriodName): period is RelativePeriod => Object.hasOwn(periods, period)

/**
 * Returns the range of a calendar period. Days are computed as dates, because a day on which
 * daylight saving begins or ends has 23 or 25 hours. A period that is not over has no end.
 */
function calendarRange(period: CalendarPeriod, now: Date): Range {
  const [year, month, date] = [now.getFullYear(), now.getMonth(), now.getDate()]
  const monday = date - ((now.getDay() + 6) % 7)
  const at = (...day: [year: number, month: number, date: number]) => new Date(...day).toISOString()
  const ranges: Record<CalendarPeriod, () => Range> = {
    today: () => ({ from: at(year, month, date) }),
    yesterday: () => ({ from: at(year, month, date - 1), to: at(year, month, date) }),
    this_week: () => ({ from: at(year, month, monday) }),
    last_week: () => ({ from: at(year, month, monday - 7), to: at(year, month, monday) }),
    this_month: () => ({ from: at(year, month, 1) }),
    last_month: () => ({ from: at(year, month - 1, 1), to: at(year, month, 1) }),
  }
  return ranges[period]()
}

/**
 * Returns the filters that a list and its export share: the search without page, order and saved view, and
 * the period as times. Call it when fetching, because a named period ends now.
 */
export function filtersOf<S extends PeriodSearch & { cursor?: unknown; sort?: unknown; view?: unknown }>(
  { cursor: _cursor, sort: _sort, view: _view, period, from, to, ...filters }: S,
  fallback: PeriodName,
) {
  return { ...filters, ...rangeOf({ period, from, to }, fallback) }
}

/** Returns the length of a period in milliseconds; infinite without a start. */
export const lengthOf = ({ from, to }: Range, now: number): number =>
  from === undefined ? Number.POSITIVE_INFINITY : (to === undefined ? now : Date.parse(to)) - Date.parse(from)

/** Limits of the length of a period, in milliseconds, between which hourly points would be too few. */
const fiveMinuteLengths = { from: 2 * hour + 5 * minute, to: 12 * hour }

/** Returns the interval to request where the service's own choice gives too few points. */
export function intervalOf(range: Range, now = Date.now()): { readonly interval?: '5min' } {
  const length = lengthOf(range, now)
  const { from: shortest, to: longest } = fiveMinuteLengths
  return length > shortest && length <= longest + minute ? { interval: '5min' } : {}
}

/** Returns the period of the same length directly before; null if there is none (all time, open start). */
export function previousRange(search: PeriodSearch, fallback: PeriodName, now = Date.now()): Range | null {
  const { from, to } = rangeOf(search, fallback, now)
  if (from === undefined) return null
  const start = Date.parse(from)
  const end = to === undefined ? Math.max(roundDown(now, now - start), start + 1) : Date.parse(to)
  return { from: new Date(start - (end - start)).toISOString(), to: from }
}
