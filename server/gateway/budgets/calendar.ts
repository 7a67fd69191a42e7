import { dayMs, hourMs, minuteMs } from '../../lib/durations.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  formats.set(timeZone, format)
  return format
}

/** Since 1972, clocks of all time zones differ by full quarters of an hour, so a day begins with one. */
const quarterMs = 15 * minuteMs
/** The day of the last quarter of an hour that was asked for, by time zone: every call of the gateway asks for it. */
const lastDays = new Map<string, { readonly quarter: number; readonly day: string }>()

/** Returns the day of a time since 1972 in a time zone: `2026-11-25`. */
export function dayIn(timeZone: string, at: Date): string {
  const quarter = Math.floor(at.getTime() / quarterMs)
  const last = lastDays.get(timeZone)
  if (last?.quarter === quarter) return last.day
  const [month, date, year] = formatOf(timeZone).format(at).split('/')
  const day = `${year}-${month}-${date}`
  lastDays.set(timeZone, { quarter, day })
  return day
}

/** Returns the month of a day: `2026-11`. */
export const monthOf = (day: string): string => day.slice(0, 7)

/** The longest day or month, with a change of the clock and a day that a time zone left out. */
const longest = { day: 2 * dayMs + 2 * hourMs, month: 33 * dayMs } as const

/** Returns the first millisecond of the next day or month in a time zone. */
export function endOf(period: keyof typeof longest, timeZone: string, at: Date): Date {
  const nameOf = (time: number): string => {
    const day = dayIn(timeZone, new Date(time))
    return period === 'day' ? day : monthOf(day)
  }
  const current = nameOf(at.getTime())
  // Names only grow with time, so the current one has one end.
  let [low, high] = [at.getTime(), at.getTime() + longest[period]]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (nameOf(middle) === current) low = middle
    else high = middle
  }
  return new Date(high)
}
