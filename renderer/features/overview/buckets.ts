import type { RunStats } from '../../../contract/run-stats.ts'
import { locale } from '../../lib/format.ts'

export type Interval = RunStats['interval']

const hourMs = 3_600_000

/** Days and months of the service are UTC's; hours fit every zone but a few. */
const labels = {
  hour: new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }),
  day: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  month: new Intl.DateTimeFormat(locale, { month: 'short', year: 'numeric', timeZone: 'UTC' }),
} as const
const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** When the bucket that begins at `start` is over. */
export function bucketEnd(start: string, interval: Interval): string {
  const at = new Date(start)
  if (interval === 'month') at.setUTCMonth(at.getUTCMonth() + 1)
  else at.setTime(at.getTime() + (interval === 'hour' ? 1 : 24) * hourMs)
  return at.toISOString()
}

export const shortLabel = (start: string, interval: Interval): string =>
  start === '' ? '' : labels[interval].format(new Date(start))

/** "Nov 21, 09:00–10:00", "Nov 21 (UTC)" */
export function spanLabel(start: string, interval: Interval): string {
  const label = shortLabel(start, interval)
  return interval === 'hour'
    ? `${label}–${clock.format(new Date(bucketEnd(start, interval)))}`
    : `${label} (UTC)`
}
