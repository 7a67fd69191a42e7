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

const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const date = { day: 'numeric', month: 'short' } as const
const stamp = dateFormat({ ...date, ...time })
const zoned = { ...time, timeZoneName: 'short' } as const
const zonedLabels = [dateFormat({ ...date, ...zoned }), dateFormat(zoned)] as const
/** Days, weeks and months are in UTC unless requested in a time zone. Hours match local hours in most zones. */
const calendar = (zone: { readonly timeZone?: string }) => {
  const day = dateFormat({ ...date, ...zone })
  return { day, week: day, month: dateFormat({ month: 'short', year: 'numeric', ...zone }) } as const
}
const utcLabels = calendar({ timeZone: 'UTC' })
const localLabels = calendar({})

const isCalendar = (interval: Interval): interval is keyof typeof localLabels => interval in localLabels
const clock = dateFormat(time)

/** Returns the end of the last bucket, which begins at `start`. */
function endOf(start: string, interval: Interval, isLocal: boolean): string {
  const at = new Date(start)
  if (interval === 'month' && isLocal) at.setMonth(at.getMonth() + 1)
  else if (interval === 'month') at.setUTCMonth(at.getUTCMonth() + 1)
  else if (isCalendar(interval) && isLocal) at.setDate(at.getDate() + (interval === 'week' ? 7 : 1))
  else at.setTime(at.getTime() + intervalMs[interval])
  return at.toISOString()
}

/** Labels a day, week or month. With roll-ups a local one begins up to an hour early, on the day before. */
const dayLabelOf = (start: string, interval: keyof typeof localLabels, isLocal: boolean): string =>
  isLocal
    ? localLabels[interval].format(new Date(Date.parse(start) + intervalMs.hour))
    : utcLabels[interval].format(new Date(start))

/** True if daylight saving begins or ends within an hour, so that a local time may be ambiguous. */
const isNearChange = (from: Date, to: Date): boolean =>
  new Date(from.getTime() - intervalMs.hour).getTimezoneOffset() !==
  new Date(to.getTime() + intervalMs.hour).getTimezoneOffset()

function labelOf(start: string, end: string, interval: Interval, isLocal: boolean): string {
  if (isCalendar(interval)) return dayLabelOf(start, interval, isLocal) + (isLocal ? '' : ' (UTC)')
  const [from, to] = [new Date(start), new Date(end)]
  const [first, last] = isNearChange(from, to) ? zonedLabels : [stamp, clock]
  return `${first.format(from)}–${last.format(to)}`
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
  return series.map(({ start }, index) => {
    const end = series[index + 1]?.start ?? endOf(start, interval, isLocal)
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

export type Tick = { readonly index: number; readonly label: string }

/** Returns the labels of the axis, at most nine: at round local times, or at days, weeks and months. */
export function ticksOf(buckets: readonly Bucket[], interval: Interval): readonly Tick[] {
  if (isCalendar(interval)) {
    const every = Math.ceil(buckets.length / maxTicks)
    return buckets.flatMap(({ start, isLocal = false }, index) =>
      index % every === 0 ? [{ index, label: dayLabelOf(start, interval, isLocal) }] : [],
    )
  }
  const span = buckets.length * intervalMs[interval]
  const step = steps.find((candidate) => span / candidate <= maxTicks) ?? intervalMs.day
  const every = step < intervalMs.day ? 1 : Math.ceil(span / step / maxTicks)
  let days = -1
  return buckets.flatMap(({ start }, index) => {
    const at = new Date(start)
    const local = at.getTime() - at.getTimezoneOffset() * minuteMs
    // In zones with half hours, a full hour of local time is inside a bucket.
    const rest = (step - (local % step)) % step
    if (rest >= intervalMs[interval]) return []
    const isMidnight = (local + rest) % intervalMs.day === 0
    if (isMidnight) days += 1
    if (step === intervalMs.day && days % every !== 0) return []
    const label = (isMidnight ? localLabels.day : clock).format(new Date(at.getTime() + rest))
    return [{ index: index + rest / intervalMs[interval], label }]
  })
}
