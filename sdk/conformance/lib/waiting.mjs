import { setTimeout as sleep } from 'node:timers/promises'

export { sleep }

export const defaultWaitMs = 10_000
/** Time for which an exact count must not change. */
export const stableMs = 60

/** Polling interval for a source without events, such as a folder. */
const pollMs = 20

/**
 * Calls `finding` (null: as expected, else the reason) now and at every `change` of `emitter`, until it is
 * null or the time is over; then throws the last reason. Without an emitter it polls.
 */
export function until(emitter, finding, ms = defaultWaitMs) {
  return new Promise((resolve, reject) => {
    const end = (finish) => {
      clearTimeout(timer)
      clearInterval(polling)
      emitter?.off('change', check)
      finish()
    }
    const check = () => finding() === null && end(resolve)
    const timer = setTimeout(() => {
      const reason = finding()
      end(() => (reason === null ? resolve() : reject(new Error(`${reason} (waited ${ms} ms)`))))
    }, ms)
    const polling = emitter === null ? setInterval(check, pollMs) : undefined
    emitter?.on('change', check)
    check()
  })
}

/** Returns the value of a promise; throws if it takes longer than `ms`. */
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
