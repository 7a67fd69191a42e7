import { dateFormat, locale, numberFormat, once } from './intl.ts'

export const unknown = '—'

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const integerFormat = numberFormat({ maximumFractionDigits: 0 })
const short = numberFormat({ notation: 'compact', maximumFractionDigits: 1 })
const unit = (name: string, digits = 0) =>
  numberFormat({
    style: 'unit',
    unit: name,
    unitDisplay: 'short',
    maximumFractionDigits: digits,
  })
const units = {
  millisecond: unit('millisecond'),
  wholeSecond: unit('second'),
  minute: unit('minute'),
  hour: unit('hour'),
  day: unit('day'),
}
/** For percentages and seconds. Seconds are shown as `s`; Intl's short form in English is `sec`. */
const tenths = numberFormat({ maximumFractionDigits: 1 })
const names = once(() => new Intl.ListFormat(locale, { type: 'conjunction' }))
const dateOnly = dateFormat({ day: 'numeric', month: 'short', year: 'numeric' })
const clock = dateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const seconds = dateFormat({
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const dayOfYear = dateFormat({ day: 'numeric', month: 'short' })
const exactLocal = dateFormat({
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
})

export const formatNumber = (value: number | null | undefined): string =>
  value === null || value === undefined ? unknown : integerFormat.format(value)

/** Formats a number as 1.2M, for tiles and axes. Do not use it where the exact number is expected. */
export const formatShort = (value: number): string => short.format(value)

/**
 * Formats the total of a list. Above the exact range the service reports it as capped, and the text is
 * `10,000+`.
 */
export const formatTotal = (total: number, isCapped = false): string =>
  isCapped ? `${integerFormat.format(total)}+` : integerFormat.format(total)

/** Formats a measured time in at most two units: `840 ms`, `1.2 s`, `1 min 23 s`, `2 hr 5 min`. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return unknown
  if (ms < 1000) return units.millisecond.format(ms)
  // From here on, tenths would be rounded to 60 s.
  if (ms < minute - 50) return `${tenths.format(ms / second)} s`
  const wholeSeconds = Math.round(ms / second) * second
  if (wholeSeconds < hour) return withRest(wholeSeconds, minute, `${(wholeSeconds % minute) / second} s`)
  const wholeMinutes = Math.round(ms / minute) * minute
  if (wholeMinutes >= day) return formatSpan(ms)
  return withRest(wholeMinutes, hour, units.minute.format((wholeMinutes % hour) / minute))
}

/** Appends `rest`, unless the duration is a multiple of the unit. */
const withRest = (ms: number, size: number, rest: string): string =>
  ms % size === 0 ? formatSpan(ms) : `${formatSpan(ms)} ${rest}`

/** Formats a duration in its largest whole unit: `3 min`, `2 hr`, `5 days`. */
export function formatSpan(ms: number): string {
  const span = Math.max(0, ms)
  if (span < minute) return units.wholeSecond.format(Math.floor(span / second))
  if (span < hour) return units.minute.format(Math.floor(span / minute))
  if (span < day) return units.hour.format(Math.floor(span / hour))
  return units.day.format(Math.floor(span / day))
}

/** Formatters by number of digits. Creating one takes longer than formatting a whole page of rows. */
const dollarFormats = new Map<number, Intl.NumberFormat>()
function dollars(digits: number): Intl.NumberFormat {
  const cached = dollarFormats.get(digits)
  if (cached !== undefined) return cached
  const created = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  })
  dollarFormats.set(digits, created)
  return created
}

/** Formats US dollars. Small amounts keep two significant digits; an unknown amount is a dash, never 0. */
export function formatMoney(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return unknown
  const digits = usd === 0 || usd >= 1 ? 2 : Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(usd))))
  return (usd > 0 && usd < 5e-7 ? '<' : '') + dollars(digits).format(usd && Math.max(usd, 1e-6))
}

export function formatTokens(count: number | null | undefined, isEstimate = false): string {
  if (count === null || count === undefined) return unknown
  return `${isEstimate ? '~' : ''}${integerFormat.format(count)}`
}

/** Formats a share between 0 and 1 with one decimal. A share below 1 is never shown as 100%. */
export function formatPercent(share: number | null | undefined): string {
  if (share === null || share === undefined || Number.isNaN(share)) return unknown
  const percent = share < 1 && share > 0.999 ? 99.9 : share * 100
  return `${tenths.format(percent)}%`
}

/** Formats a list of names: "edda, karl and 3 others". */
export const formatList = (parts: readonly string[]): string => names().format(parts)

/** Returns the time since or until `at` if it is less than a week; else null, because a date is clearer. */
export function formatAgo(at: Date, now: number): string | null {
  const span = now - at.getTime()
  return Math.abs(span) < 7 * day ? formatSpan(Math.abs(span)) : null
}

export const formatDate = (at: Date): string => dateOnly.format(at)

/** Formats the time of an entry of a log: 14:03:27, with the date if it is not today. */
export function formatLogTime(at: Date, now: number): string {
  const today = new Date(now)
  if (at.toDateString() === today.toDateString()) return seconds.format(at)
  const isThisYear = at.getFullYear() === today.getFullYear()
  return `${(isThisYear ? dayOfYear : dateOnly).format(at)}, ${seconds.format(at)}`
}
/** Formats date and clock time: Nov 27, 2026, 19:04. */
export const formatDateTime = (at: Date): string => `${formatDate(at)}, ${formatClock(at)}`

export const formatClock = (at: Date): string => clock.format(at)

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** Formats bytes as 1.2 MB. Units are powers of 1000, as in browsers and file managers. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log10(bytes) / 3))
  const name = byteUnits[power] ?? 'byte'
  return power === 0 ? `${integerFormat.format(bytes)} B` : unit(name, 1).format(bytes / 1000 ** power)
}

/** Returns the time zone of all displayed times, such as `Europe/Vienna`. */
export const zoneName = once(() => new Intl.DateTimeFormat().resolvedOptions().timeZone)

export const formatUtc = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** Formats a time in local time and in UTC, for a tooltip. */
export const formatExact = (at: Date): { local: string; utc: string } => ({
  local: exactLocal.format(at),
  utc: at.toISOString().replace('T', ' ').replace('Z', ' UTC'),
})
