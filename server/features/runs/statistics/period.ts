import type { InputOf } from '../../../../contract/common/endpoint.ts'
import type { runs as endpoints } from '../../../../contract/runs/runs.ts'
import { dayMs, hourMs, minuteMs } from '../../../lib/durations.ts'
import { type Interval, widths } from './points.ts'

export type StatsQuery = InputOf<typeof endpoints.stats>['query']

/** The time that a series covers, and the interval of its points. */
export type Period = { readonly interval: Interval; readonly from: number; readonly to: number }

const maxPoints = 1000
/** Longest period in ms for minutes in `auto`: two hours, and a tolerance for clocks and slow connections. */
const maxMinutesPeriodMs = 2 * hourMs + 5 * minuteMs
/** Longest period in ms for hours in `auto`: 192 points. */
const maxHoursPeriodMs = 8 * dayMs
/** The next longer interval. */
const wider: Readonly<Record<Interval, Interval | null>> = {
  minute: 'hour',
  '5min': 'hour',
  hour: 'day',
  day: 'month',
  week: 'month',
  month: null,
}

/** Returns the number of points beyond the period: days of local time do not begin with those of UTC. */
const extraPoints = (interval: Interval): number => (interval === 'minute' || interval === 'hour' ? 0 : 2)
const isTooShort = (interval: Interval, from: number, to: number): boolean =>
  (to - Math.floor(from / widths[interval]) * widths[interval]) / widths[interval] >
  maxPoints - extraPoints(interval)

function requestedInterval(
  { interval, from: requestedFrom }: StatsQuery,
  from: number,
  to: number,
): Interval {
  if (interval !== 'auto') return interval
  // Only a requested period can be in minutes: without one, the period grows with the log.
  if (requestedFrom !== undefined && to - from <= maxMinutesPeriodMs) return 'minute'
  return to - from <= maxHoursPeriodMs ? 'hour' : 'day'
}

/**
 * Returns the period of the series to compare with, in epoch milliseconds; an empty period if none is requested. It begins
 * in 1970 at the earliest, because no run is older.
 */
export function comparedSpanOf({ compare_series, compare_from, compare_to, from }: StatsQuery, end: number) {
  const to = Math.min((compare_to ?? from)?.getTime() ?? 0, end)
  return { from: compare_series === 'true' ? Math.max(0, compare_from?.getTime() ?? to) : to, to }
}

/** Returns the period of a query. It ends now at the latest. `log`: times of the oldest and newest run. */
export function periodOf(
  query: StatsQuery,
  now: number,
  log: { readonly oldest: number; readonly newest: number } | null,
): Period {
  const end = Math.max(now, log?.newest ?? now) + 1
  const to = Math.min(query.to?.getTime() ?? end, end)
  const from = query.from?.getTime() ?? log?.oldest ?? to
  const compared = comparedSpanOf(query, end)
  // Both series have the same interval, so that their points pair up.
  const fits = (width: Interval) =>
    !isTooShort(width, from, to) && !isTooShort(width, compared.from, compared.to)
  let interval = requestedInterval(query, from, to)
  for (let next = wider[interval]; next !== null && !fits(interval); next = wider[interval]) interval = next
  // A very long range is reduced to the part that has runs.
  return { interval, from: isTooShort(interval, from, to) ? (log?.oldest ?? to) : from, to }
}
