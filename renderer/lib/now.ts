import { useSyncExternalStore } from 'react'

/** One clock for all relative times of the page, so that they tick together and cost one timer. */
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
  // After a pause without listeners the clock stands still; React reads it again right after subscribing.
  if (timer === undefined) now = Date.now()
  timer ??= setInterval(tick, tickMs)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The present in epoch milliseconds, at most 5 s old. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now)
