import type { RunStats } from '../../../contract/runs/run-stats.ts'
import { locale } from './format.ts'
import type { Range } from './period.ts'

export type Interval = RunStats['interval']

/** One interval of a time axis. */
export type Bucket = {
  readonly start: string
  /** The part of the bucket inside the period. A link to the bucket's rows uses it as its filter. */
  readonly from: string
  readonly to: string
  /** For example "Nov 21, 09:00–10:00". */
  readonly label: string
  /** True if the bucket ends in the future, so more data may come. */
  readonly isOpen: boolean
}

const minuteMs = 60_000
const intervalMs = {
  minute: minuteMs,
  '5min': 5 * minuteMs,
  hour: 60 * minuteMs,
  day: 24 * 60 * minuteMs,
} as const

const stamp = {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const
/** Days and months of the service are in UTC. Its hours match local hours in all but a few time zones. */
const labels = {
  minute: new Intl.DateTimeFormat(locale, stamp),
  '5min': new Intl.DateTimeFormat(locale, stamp),
  hour: new Intl.DateTimeFormat(locale, stamp),
  day: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  month: new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' }),
} as const
const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** Returns the end of the bucket that begins at `start`. */
function endOf(start: string, interval: Interval): string {
  const at = new Date(start)
  if (interval === 'month') at.setUTCMonth(at.getUTCMonth() + 1)
  else at.setTime(at.getTime() + intervalMs[interval])
  return at.toISOString()
}

function labelOf(start: string, end: string, interval: Interval): string {
  const label = labels[interval].format(new Date(start))
  return interval === 'day' || interval === 'month'
    ? `${label} (UTC)`
    : `${label}–${clock.format(new Date(end))}`
}

/** Returns the buckets of a series. The first and the last are cut at the ends of the requested period. */
export function bucketsOf(
  series: readonly { readonly start: string }[],
  interval: Interval,
  requested: Range,
  now: number,
): readonly Bucket[] {
  return series.map(({ start }) => {
    const end = endOf(start, interval)
    return {
      start,
      from: requested.from !== undefined && requested.from > start ? requested.from : start,
      to: requested.to !== undefined && requested.to < end ? requested.to : end,
      label: labelOf(start, end, interval),
      isOpen: Date.parse(end) > now,
    }
  })
}

/** Round steps of a time axis, in milliseconds. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * minuteMs)
const maxTicks = 9

const tickLabels = {
  time: clock,
  date: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' }),
  utcDate: labels.day,
  month: labels.month,
} as const

export type Tick = { readonly index: number; readonly label: string }

/** Returns the labels of the axis, at most nine: at round local times, or at UTC days and months. */
export function ticksOf(buckets: readonly Bucket[], interval: Interval): readonly Tick[] {
  if (interval === 'day' || interval === 'month') {
    const every = Math.ceil(buckets.length / maxTicks)
    return buckets.flatMap(({ start }, index) =>
      index % every === 0
        ? [{ index, label: tickLabels[interval === 'day' ? 'utcDate' : 'month'].format(new Date(start)) }]
        : [],
    )
  }
  const span = buckets.length * intervalMs[interval]
  const step = steps.find((candidate) => span / candidate <= maxTicks) ?? intervalMs.day
  const every = step < intervalMs.day ? 1 : Math.ceil(span / step / maxTicks)
  let days = -1
  return buckets.flatMap(({ start }, index) => {
    const at = new Date(start)
    const local = at.getTime() - at.getTimezoneOffset() * minuteMs
    if (local % step !== 0) return []
    const isMidnight = local % intervalMs.day === 0
    if (isMidnight) days += 1
    if (step === intervalMs.day && days % every !== 0) return []
    return [{ index, label: tickLabels[isMidnight ? 'date' : 'time'].format(at) }]
  })
}
