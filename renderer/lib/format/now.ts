import { useSyncExternalStore } from 'react'

/**
 * Interval of the clock, in milliseconds. All relative times share one clock, so that they change together.
 */
const tickMs = 5_000
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

const tick = (): void => {
  now = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // The clock stops while it has no listeners. React reads it again directly after subscribing.
  if (timer === undefined) now = Date.now()
  timer ??= setInterval(tick, tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Returns the current time in epoch milliseconds, at most 5 s old. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now)
