import { dayMs } from '../../lib/durations.ts'

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

/** Returns the day of a time in a time zone: `2026-11-25`. */
export function dayIn(timeZone: string, at: Date): string {
  const [month, day, year] = formatOf(timeZone).format(at).split('/')
  return `${year}-${month}-${day}`
}

/** Returns the month of a day: `2026-11`. */
export const monthOf = (day: string): string => day.slice(0, 7)

/** The longest day or month, with a change of the clock and a day that a time zone left out. */
const longest = { day: 2 * dayMs + 2 * 3_600_000, month: 33 * dayMs } as const

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
