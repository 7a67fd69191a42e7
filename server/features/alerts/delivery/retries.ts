import { hourMs, minuteMs } from '../../../lib/durations.ts'

/** Pauses after each failed attempt, in milliseconds. */
const pausesMs = [
  10_000,
  30_000,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
] as const
/** Largest part of a pause that jitter adds, so that deliveries after an outage do not arrive together. */
const maxJitter = 0.25

/** The longest pause with jitter, in milliseconds. */
export const longestPauseMs = Math.max(...pausesMs) * (1 + maxJitter)

export const maxAttempts = pausesMs.length + 1

/** Returns the pause after the given number of failed attempts; null if no attempt follows. */
export function pauseAfter(attempts: number, random: () => number = Math.random): number | null {
  const pause = pausesMs[attempts - 1]
  return pause === undefined ? null : Math.round(pause * (1 + maxJitter * random()))
}
