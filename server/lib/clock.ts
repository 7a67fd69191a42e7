/** Time is an argument, so that a test can hold it still. */
export type Clock = {
  now(): Date
  /** Milliseconds the process has run, whatever the clock is set to. Absent: time passes as `now` says. */
  monotonicMs?(): number
}

export const systemClock: Clock = { now: () => new Date(), monotonicMs: () => performance.now() }
