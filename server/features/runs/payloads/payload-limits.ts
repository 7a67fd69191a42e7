import { dayMs } from '../../../lib/durations.ts'
import type { RunSettings } from '../store/settings.ts'

/**
 * The reason why a payload is not stored: it is too large, all payloads have reached their maximum size, or the store of
 * objects failed.
 */
export type PayloadRefusal = 'too_large' | 'full' | 'failed'
/** The line of a payload. `day`: days since 1970; `offset` and `length`: bytes. */
export type PayloadLocation = { readonly day: number; readonly offset: number; readonly length: number }

export type PayloadLimits = {
  /** Retention in days. */
  readonly days: number
  readonly totalBytes: number
  /** Maximum size of one payload. */
  readonly payloadBytes: number
}
const mib = 1024 * 1024

/** Returns the limits of captured payloads. No payload is kept longer than its run. */
export const payloadLimitsOf = (settings: RunSettings): PayloadLimits => ({
  days: Math.min(settings.payloadRetentionDays, settings.runRetentionDays),
  totalBytes: settings.payloadMaxMb * mib,
  payloadBytes: mib,
})

/** Returns the day of a time, as days since 1970. */
export const dayOf = (at: Date): number => Math.floor(at.getTime() / dayMs)

/** Returns the days that are past retention, and the oldest days while the total size is above nine tenths of the limit. */
export function daysToRemove<D extends { readonly day: number; readonly size: number }>(
  days: readonly D[],
  limits: PayloadLimits,
  today: number,
): D[] {
  let remainingBytes = days.reduce((sum, { size }) => sum + size, 0)
  return days.filter(({ day, size }) => {
    const isExpired = day <= today - limits.days
    // A tenth stays free, so that capture does not alternate between on and off with every line.
    const exceedsLimit = remainingBytes > limits.totalBytes * 0.9 && day < today
    if (!isExpired && !exceedsLimit) return false
    remainingBytes -= size
    return true
  })
}
