import { dayMs, hourMs, minuteMs } from '../../../lib/durations.ts'
import { type SpanTier, tiers } from './rollups/calendar.ts'

/** The interval of a point in a series, in the time zone of the series. */
export type Interval = 'minute' | '5min' | 'hour' | 'day' | 'week' | 'month'

/** The usual duration of an interval in milliseconds; for a month, the shortest. */
export const widths: Readonly<Record<Interval, number>> = {
  minute: minuteMs,
  '5min': 5 * minuteMs,
  hour: hourMs,
  day: dayMs,
  week: 7 * dayMs,
  month: 28 * dayMs,
}

export type Zone = {
  readonly name: string
  /** Returns the milliseconds by which local time is ahead of UTC. */
  offsetAt(at: number): number
}

export const utc: Zone = { name: 'UTC', offsetAt: () => 0 }

/** Creates a zone from an IANA name, which must be valid. */
export function zoneOf(name: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const offsetAt = (at: number): number => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
    const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
    return local - Math.floor(at / 1000) * 1000
  }
  return { name, offsetAt }
}

/** Returns the time of a local midnight, or of the first moment of the day if it has no midnight. */
function midnightOf(zone: Zone, local: number): number {
  const guess = local - zone.offsetAt(local)
  const corrected = local - zone.offsetAt(guess)
  // If the clock skips midnight, one of the two is on the day before.
  return Math.min(...[guess, corrected].filter((at) => at + zone.offsetAt(at) >= local))
}

/**
 * Returns the start of the day, week or month that contains a local time. Both are milliseconds, as if in
 * UTC.
 */
function floorLocal(interval: Interval, local: number): number {
  const day = Math.floor(local / dayMs) * dayMs
  if (interval === 'day') return day
  const date = new Date(day)
  if (interval === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
  return day - ((date.getUTCDay() + 6) % 7) * dayMs
}

function nextLocal(interval: Interval, local: number): number {
  if (interval !== 'month') return local + (interval === 'week' ? 7 : 1) * dayMs
  const date = new Date(local)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}

const isFixed = (interval: Interval): interval is 'minute' | '5min' | 'hour' =>
  interval === 'minute' || interval === '5min' || interval === 'hour'

/** Returns the starts of the intervals that overlap `[from, to)`. Hours begin with the hours of UTC. */
export function pointsOf(interval: Interval, from: number, to: number, zone: Zone): number[] {
  const points: number[] = []
  if (from >= to) return points
  if (isFixed(interval)) {
    const width = widths[interval]
    for (let start = Math.floor(from / width) * width; start < to; start += width) points.push(start)
    return points
  }
  let local = floorLocal(interval, from + zone.offsetAt(from))
  for (let start = midnightOf(zone, local); start < to; start = midnightOf(zone, local)) {
    points.push(start)
    local = nextLocal(interval, local)
  }
  return points
}

/** Returns the index of the last point at or before a time; 0 if all are later. */
export function indexIn(points: readonly number[], at: number): number {
  let low = 0
  let high = points.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((points[middle] ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return low
}

/** Returns the coarsest roll-ups that can be added up to the intervals, with starts rounded to full hours. */
export function tierOf(interval: Interval, zone: Zone): SpanTier | 'rows' {
  if (interval === 'minute' || interval === '5min') return 'rows'
  if (interval === 'hour' || zone.name !== utc.name) return tiers.hour
  return interval === 'month' ? tiers.month : tiers.day
}
