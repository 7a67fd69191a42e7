import { setTimeout as sleep } from 'node:timers/promises'

export { sleep }

/** How long a step waits when it does not say. */
export const patienceMs = 10_000
/** How long a count that is exact has to hold. */
export const settleMs = 60

/** How often what tells of no change by itself (a folder) is looked at. */
const lookMs = 20

/**
 * Asks `finding` (null: all is well, else why not) now and whenever `emitter` says `change`, until all is well or the time
 * is over; then throws the last reason. Without an emitter it looks again and again.
 */
export function until(emitter, finding, ms = patienceMs) {
  return new Promise((resolve, reject) => {
    const end = (settle) => {
      clearTimeout(timer)
      clearInterval(looking)
      emitter?.off('change', look)
      settle()
    }
    const look = () => finding() === null && end(resolve)
    const timer = setTimeout(() => {
      const why = finding()
      end(() => (why === null ? resolve() : reject(new Error(`${why} (waited ${ms} ms)`))))
    }, ms)
    const looking = emitter === null ? setInterval(look, lookMs) : undefined
    emitter?.on('change', look)
    look()
  })
}

/** The value of a promise, or an error when it takes longer. */
export async function within(promise, ms, what) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
