import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds of work before the event loop runs; the budget for blocking it is 50 ms. */
const sliceMs = 8

/** Lets the event loop run everything that is waiting. */
export const yieldNow = (): Promise<void> => nextTurn()

/** Yields to the event loop if the caller has worked longer than a slice. Call it between statements. */
export type Yield = () => Promise<void>

/** Creates the `Yield` of one piece of work. Its first slice begins now. */
export function createYield(): Yield {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < sliceMs) return
    await yieldNow()
    since = performance.now()
  }
}
