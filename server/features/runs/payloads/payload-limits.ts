import { dayMs } from '../../../lib/durations.ts'
import type { RunSettings } from '../store/settings.ts'

/** The payload is too large, the payloads have reached their maximum size, or the bucket cannot be reached. */
export type PayloadRefusal = 'too_large' | 'full' | 'failed'
export type PayloadLocation = { readonly day: number; readonly offset: number; readonly length: number }

export type PayloadLimits = {
  readonly days: number
  readonly totalBytes: number
  readonly payloadBytes: number
}
const mib = 1024 * 1024

/** Returns the limits of the payload folder. No payload outlives its run. */
export const payloadLimitsOf = (settings: RunSettings): PayloadLimits => ({
  days: Math.min(settings.payloadRetentionDays, settings.runRetentionDays),
  totalBytes: settings.payloadMaxMb * mib,
  payloadBytes: mib,
})

export const dayOf = (at: Date): number => Math.floor(at.getTime() / dayMs)

/** Returns the days that are past retention, and the oldest ones while all are too large. */
export function daysToRemove<D extends { readonly day: number; readonly size: number }>(
  days: readonly D[],
  limits: PayloadLimits,
  today: number,
): D[] {
  let remainingBytes = days.reduce((sum, { size }) => sum + size, 0)
  return days.filter(({ day, size }) => {
    const isExpired = day <= today - limits.days
    // Frees a tenth, so that capture does not alternate between on and off with every line.
    const exceedsLimit = remainingBytes > limits.totalBytes * 0.9 && day < today
    if (!isExpired && !exceedsLimit) return false
    remainingBytes -= size
    return true
  })
}
