import { dayMs } from '../../../../lib/durations.ts'

/** Returns the name of a day, as days since 1970, such as `2026-11-25`. */
export const dayName = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

/** Returns the day of a name; null if it is another name. */
export function dayOfName(name: string): number | null {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(name) ? Date.parse(name) : Number.NaN
  return Number.isNaN(at) ? null : at / dayMs
}
