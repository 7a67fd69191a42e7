/** The source of time, passed as an argument so that tests can control it. */
export type Clock = {
  now(): Date
  /**
   * Milliseconds since the process started, independent of changes to the system time. If absent, `now`
   * measures time.
   */
  monotonicMs?(): number
  /**
   * Calls `work` repeatedly until the returned function is called. If absent, a timer of the process does so.
   */
  every?(ms: number, work: () => Promise<void>): () => void
}

export const systemClock: Clock = { now: () => new Date(), monotonicMs: () => performance.now() }
