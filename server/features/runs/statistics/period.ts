import type { InputOf } from '../../../../contract/common/endpoint.ts'
import type { runs as endpoints } from '../../../../contract/runs/runs.ts'
import { dayMs, hourMs, minuteMs } from '../../../lib/durations.ts'
import { floorTo, type Grain, isRowGrain, rowGrains, tiers } from './calendar.ts'

export type StatsQuery = InputOf<typeof endpoints.stats>['query']

/** The time that a series covers, and the interval of its points. */
export type Period = { readonly grain: Grain; readonly from: number; readonly to: number }

const maxPoints = 1000
/** Longest period in ms for minutes in `auto`: two hours, and a tolerance for clocks and slow connections. */
const maxMinutesPeriodMs = 2 * hourMs + 5 * minuteMs
/** Longest period in ms for hours in `auto`: 192 points. */
const maxHoursPeriodMs = 8 * dayMs

const widths = {
  ...rowGrains,
  [tiers.hour]: hourMs,
  [tiers.day]: dayMs,
  [tiers.month]: 28 * dayMs,
} as const

const isTooFine = (grain: Grain, from: number, to: number): boolean =>
  (to - floorTo(grain, from)) / widths[grain] > maxPoints

function requestedGrain({ interval, from: requestedFrom }: StatsQuery, from: number, to: number): Grain {
  if (interval === 'minute' || interval === '5min') return interval
  if (interval === 'hour') return tiers.hour
  if (interval === 'day') return tiers.day
  // Only a requested period can be in minutes: without one, the period grows with the log.
  if (requestedFrom !== undefined && to - from <= maxMinutesPeriodMs) return 'minute'
  return to - from <= maxHoursPeriodMs ? tiers.hour : tiers.day
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
  let grain = requestedGrain(query, from, to)
  if (isRowGrain(grain) && isTooFine(grain, from, to)) grain = tiers.hour
  if (grain === tiers.hour && isTooFine(grain, from, to)) grain = tiers.day
  if (grain === tiers.day && isTooFine(grain, from, to)) grain = tiers.month
  // A very long range is reduced to the part that has runs.
  const isTooLong = grain === tiers.month && isTooFine(grain, from, to)
  return { grain, from: isTooLong ? (log?.oldest ?? to) : from, to }
}
