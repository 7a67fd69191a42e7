/** Resolves when it is one's turn. */
export type Turn = () => Promise<void>

/** A write to a socket takes from 20 to 80 µs: so many are a few milliseconds. */
const perRound = 64

/**
 * Lets a thousand streams write without holding up anybody else: so many in each round of the event loop, in the order
 * they asked. What a stream has to say while it waits goes out together with its next write.
 */
export function createTurns(): Turn {
  let waiting: (() => void)[] = []
  let isScheduled = false
  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      const now = waiting.slice(0, perRound)
      waiting = waiting.slice(perRound)
      for (const go of now) go()
      if (waiting.length > 0) schedule()
    })
  }
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve)
      schedule()
    })
}
