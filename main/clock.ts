/** Time, so that a test can let it pass. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number
  /** Runs something once after `ms` milliseconds; the function it gives back calls that off. */
  after(ms: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
