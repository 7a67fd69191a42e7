import { dayMs, minuteMs } from '../lib/durations.ts'

/** Milliseconds by which the clock of an app may be ahead, and by which that of the service may move back for a moment. */
export const maxAheadMs = 5 * minuteMs

/** Returns the reason why a run or span of this time is not stored; null if it is. Times are in epoch milliseconds. */
export function refusalOfTime(time: number, now: number, retentionDays: number): string | null {
  if (!(time <= now + maxAheadMs)) return 'More than 5 minutes in the future'
  return time < now - retentionDays * dayMs
    ? `Older than the retention of runs (${retentionDays} days)`
    : null
}
