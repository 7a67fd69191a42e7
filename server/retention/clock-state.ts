import { dayMs } from '../lib/durations.ts'

/** Difference between the wall clock and elapsed time above which it is a jump, in milliseconds. */
const jumpMs = dayMs
/** Running time without a jump after which the clock is trusted again, in milliseconds. */
export const trustedAfterMs = dayMs

/** One reading of both clocks, in milliseconds. */
export type Reading = {
  readonly wallMs: number
  /** Running time of the process, which setting the clock does not change. */
  readonly monotonicMs: number
}

/** The pause of deletion by age since the wall clock and elapsed time differed. */
export type Pause = {
  readonly pausedAtMs: number
  /** The wall clock minus the expected time: positive if the clock is ahead. */
  readonly shiftMs: number
  /** Running time since the last jump. */
  readonly ranMs: number
}

/** The last reading, and the current pause, if any. */
export type ClockState = { readonly last: Reading; readonly pause: Pause | null }
/** The stored state: the wall clock when it was written, and the pause at that time. */
export type StoredClockState = { readonly wallMs: number; readonly pause: Pause | null }

/** Returns null if the clock was corrected or ran without a jump for long enough, otherwise the pause. */
const withoutEndedPause = (pause: Pause): Pause | null =>
  Math.abs(pause.shiftMs) <= jumpMs || pause.ranMs >= trustedAfterMs ? null : pause

/** Returns the next pause. `drift` is the change of the wall clock minus the elapsed time. */
function next(pause: Pause | null, now: Reading, drift: number, ran: number): Pause | null {
  const isJump = Math.abs(drift) > jumpMs
  if (pause === null) return isJump ? { pausedAtMs: now.wallMs, shiftMs: drift, ranMs: 0 } : null
  const shiftMs = pause.shiftMs + drift
  return withoutEndedPause({ ...pause, shiftMs, ranMs: isJump ? 0 : pause.ranMs + ran })
}

/**
 * Compares the clock with the state stored when the service last ran. It is unknown how long the service was
 * off: more than a day counts as a jump, and the pause ends after a day without a jump.
 */
export function resumed(stored: StoredClockState | null, now: Reading): ClockState {
  if (stored === null) return { last: now, pause: null }
  const gap = now.wallMs - stored.wallMs
  const isJump = Math.abs(gap) > jumpMs
  return { last: now, pause: next(stored.pause, now, isJump ? gap : 0, 0) }
}

/**
 * Compares the clock with the time elapsed since the last reading. A machine that was asleep looks like a
 * jump too.
 */
export function advanced({ last, pause }: ClockState, now: Reading): ClockState {
  const ran = Math.max(0, now.monotonicMs - last.monotonicMs)
  const drift = now.wallMs - last.wallMs - ran
  return { last: now, pause: next(pause, now, drift, ran) }
}
