import { dayMs } from '../../../../lib/durations.ts'

/** Returns the name of a day, such as `2026-11-25`. `day`: days since 1970. */
export const dayName = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

/** Returns the day of a name, as days since 1970; null if the name is not a date. */
export function dayOfName(name: string): number | null {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(name) ? Date.parse(name) : Number.NaN
  return Number.isNaN(at) ? null : at / dayMs
}
