import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds of work before other requests are served; the budget for blocking the event loop is 50 ms. */
const stretchMs = 8

/** Call between statements. Yields to the event loop if the work has taken too long since the last yield. */
export type Breath = () => Promise<void>

export function createBreath(): Breath {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < stretchMs) return
    await nextTurn()
    since = performance.now()
  }
}
