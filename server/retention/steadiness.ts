const dayMs = 24 * 3_600_000
/** A difference between the wall clock and elapsed time beyond this is a jump. */
export const jumpMs = dayMs
/** After this much running without another jump the clock is trusted again. */
export const steadyMs = dayMs

export type Reading = {
  readonly wallMs: number
  /** Time the process has run; a clock that is set does not change it. */
  readonly monotonicMs: number
}

/** Deletion by age is paused since the wall clock and elapsed time differed. */
export type Pause = {
  readonly pausedAtMs: number
  /** The wall clock less the time that was expected: positive when it is ahead. */
  readonly shiftMs: number
  /** Time run since the last jump. */
  readonly ranMs: number
}

export type Steadiness = { readonly last: Reading; readonly pause: Pause | null }
/** What is on disk: the wall clock when it was last written, and the pause in force then. */
export type KeptSteadiness = { readonly wallMs: number; readonly pause: Pause | null }

/** A clock that is set right again, or that ran steadily for long enough, ends the pause. */
const settled = (pause: Pause): Pause | null =>
  Math.abs(pause.shiftMs) <= jumpMs || pause.ranMs >= steadyMs ? null : pause

/** `drift`: how much further the wall clock moved than time passed. */
function next(pause: Pause | null, now: Reading, drift: number, ran: number): Pause | null {
  const isJump = Math.abs(drift) > jumpMs
  if (pause === null) return isJump ? { pausedAtMs: now.wallMs, shiftMs: drift, ranMs: 0 } : null
  const shiftMs = pause.shiftMs + drift
  return settled({ ...pause, shiftMs, ranMs: isJump ? 0 : pause.ranMs + ran })
}

/**
 * Compares the clock with what was kept when the service last ran. Nobody knows how long it was off: more than a day
 * looks like a jump, and ends by itself after a day of steady running.
 */
export function resumed(kept: KeptSteadiness | null, now: Reading): Steadiness {
  if (kept === null) return { last: now, pause: null }
  const gap = now.wallMs - kept.wallMs
  const isJump = Math.abs(gap) > jumpMs
  return { last: now, pause: next(kept.pause, now, isJump ? gap : 0, 0) }
}

/** Compares the clock with the time that passed since the last reading. A sleeping machine looks like a jump too. */
export function advanced({ last, pause }: Steadiness, now: Reading): Steadiness {
  const ran = Math.max(0, now.monotonicMs - last.monotonicMs)
  const drift = now.wallMs - last.wallMs - ran
  return { last: now, pause: next(pause, now, drift, ran) }
}
