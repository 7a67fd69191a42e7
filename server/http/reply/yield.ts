/** Yields to other work. Resolves when the caller may write. */
export type Yield = () => Promise<void>

/**
 * Writes per round of the event loop. A write to a socket takes 20 to 80 µs, so a round takes a few
 * milliseconds.
 */
const writesPerRound = 64

/**
 * Distributes the writes of many streams over rounds of the event loop, in the order of their requests, so
 * that other work is not delayed. A stream sends everything that accumulates meanwhile with its next write.
 */
export function createYield(): Yield {
  let waiting: (() => void)[] = []
  let isScheduled = false
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      const batch = waiting.slice(0, writesPerRound)
      waiting = waiting.slice(writesPerRound)
      for (const resume of batch) resume()
      if (waiting.length > 0) schedule()
    })
  }
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      schedule()
    })
}
