/** The source of time, passed as an argument so that tests can control it. */
export type Clock = {
  now(): Date
  /**
   * Milliseconds since the process started, independent of changes to the system time. If absent, `now`
   * measures time.
   */
  monotonicMs?(): number
}

export const systemClock: Clock = { now: () => new Date(), monotonicMs: () => performance.now() }
