import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest stretch of work before other requests get their turn; the budget for a stall is 50 ms. */
const stretchMs = 8

/** Call between statements: lets the event loop turn when this piece of work has held it long enough. */
export type Breath = () => Promise<void>

export function createBreath(): Breath {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < stretchMs) return
    await nextTurn()
    since = performance.now()
  }
}
