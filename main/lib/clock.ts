/** The source of time, passed as an argument so that tests can control it. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number
  /** Calls `run` once after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
