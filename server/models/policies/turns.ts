import { endOf } from './waiting.ts'

type Waiter = { readonly limit: number; readonly enter: () => void }

/** So many at one time, the others in the order they came. The limit is asked anew by each, as it may be changed. */
export type Turns = { take(limit: number | null, signal: AbortSignal): Promise<() => void> }

export function createTurns(): Turns {
  let running = 0
  const waiting = new Set<Waiter>()

  const leave = () => {
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      running -= 1
      for (const next of waiting) {
        if (running >= next.limit) return
        waiting.delete(next)
        next.enter()
      }
    }
  }

  return {
    take(limit, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(endOf(signal))
        const giveUp = () => {
          waiting.delete(waiter)
          reject(endOf(signal))
        }
        const enter = () => {
          signal.removeEventListener('abort', giveUp)
          running += 1
          resolve(leave())
        }
        const waiter: Waiter = { limit: limit ?? Number.POSITIVE_INFINITY, enter }
        if (running < waiter.limit) return enter()
        waiting.add(waiter)
        signal.addEventListener('abort', giveUp, { once: true })
      })
    },
  }
}
