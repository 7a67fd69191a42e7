import { setTimeout as delay } from 'node:timers/promises'

/** Time limit of a step in milliseconds, far above what a slow machine needs. */
const limitMs = 60_000

/** Rejects if a step takes longer than a minute. The time limit of the campaign would not name the step. */
export function within<T>(step: Promise<T>, name: string): Promise<T> {
  const timer = new AbortController()
  const late = delay(limitMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`not within ${limitMs / 1000} s: ${name}`)
  })
  return Promise.race([step, late]).finally(() => timer.abort())
}
