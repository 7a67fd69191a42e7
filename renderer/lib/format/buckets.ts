import type { RunStats } from '../../../contract/runs/run-stats.ts'
import { dateFormat } from './intl.ts'
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
  /** True if days, weeks and months are in local time instead of UTC. */
  readonly isLocal?: boolean
}

const minuteMs = 60_000
const intervalMs = {
  minute: minuteMs,
  '5min': 5 * minuteMs,
  hour: 60 * minuteMs,
  day: 24 * 60 * minuteMs,
  week: 7 * 24 * 60 * minuteMs,
} as const

const stamp = {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const
/** Days, weeks and months are in UTC unless requested in a time zone. Hours match local hours in most zones. */
const labels = {
  minute: dateFormat(stamp),
  '5min': dateFormat(stamp),
  hour: dateFormat(stamp),
  day: dateFormat({ day: 'numeric', month: 'short', timeZone: 'UTC' }),
  week: dateFormat({ day: 'numeric', month: 'short', timeZone: 'UTC' }),
  month: dateFormat({ month: 'short', year: 'numeric', timeZone: 'UTC' }),
} as const
const localLabels = {
  day: dateFormat({ day: 'numeric', month: 'short' }),
  week: dateFormat({ day: 'numeric', month: 'short' }),
  month: dateFormat({ month: 'short', year: 'numeric' }),
} as const

const isCalendar = (interval: Interval): interval is keyof typeof localLabels => interval in localLabels
const clock = dateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** Returns the end of the bucket that begins at `start`. */
function endOf(start: string, interval: Interval, isLocal: boolean): string {
  const at = new Date(start)
  if (interval === 'month' && isLocal) at.setMonth(at.getMonth() + 1)
  else if (interval === 'month') at.setUTCMonth(at.getUTCMonth() + 1)
  else if (isCalendar(interval) && isLocal) at.setDate(at.getDate() + (interval === 'week' ? 7 : 1))
  else at.setTime(at.getTime() + intervalMs[interval])
  return at.toISOString()
}

function labelOf(start: string, end: string, interval: Interval, isLocal: boolean): string {
  if (isCalendar(interval) && isLocal) return localLabels[interval].format(new Date(start))
  const label = labels[interval].format(new Date(start))
  return isCalendar(interval) ? `${label} (UTC)` : `${label}–${clock.format(new Date(end))}`
}

/** Returns the buckets of a series, whose days are those of the time zone. The first and the last are cut at the ends of the requested period. */
export function bucketsOf(
  series: readonly { readonly start: string }[],
  interval: Interval,
  requested: Range,
  now: number,
  tz = 'UTC',
): readonly Bucket[] {
  const isLocal = tz !== 'UTC'
  return series.map(({ start }) => {
    const end = endOf(start, interval, isLocal)
    return {
      start,
      from: requested.from !== undefined && requested.from > start ? requested.from : start,
      to: requested.to !== undefined && requested.to < end ? requested.to : end,
      label: labelOf(start, end, interval, isLocal),
      isOpen: Date.parse(end) > now,
      isLocal,
    }
  })
}

/** Round steps of a time axis, in milliseconds. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * minuteMs)
const maxTicks = 9

const tickLabels = {
  time: clock,
  date: dateFormat({ day: 'numeric', month: 'short' }),
} as const

export type Tick = { readonly index: number; readonly label: string }

/** Returns the labels of the axis, at most nine: at round local times, or at days, weeks and months. */
export function ticksOf(buckets: readonly Bucket[], interval: Interval): readonly Tick[] {
  if (isCalendar(interval)) {
    const format = (buckets[0]?.isLocal === true ? localLabels : labels)[interval]
    const every = Math.ceil(buckets.length / maxTicks)
    return buckets.flatMap(({ start }, index) =>
      index % every === 0 ? [{ index, label: format.format(new Date(start)) }] : [],
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
