import { ModelError } from '../model.ts'
import { endOf } from './waiting.ts'

/** Waiting calls a queue holds; a call beyond is refused at once. */
export type QueueBounds = { readonly perPrincipal: number; readonly total: number }

export const defaultQueueBounds: QueueBounds = { perPrincipal: 1000, total: 5000 }

/** A semaphore whose waiters are served in turn, one principal after the other. */
export type FairQueue = {
  /**
   * Resolves with the function that gives the slot back. `limit` is the number of slots now, as it may be changed; null:
   * no limit. Rejects with the reason of the signal, or with `QueueFull`.
   */
  take(limit: number | null, signal: AbortSignal, principal: string): Promise<() => void>
  /** Calls that hold a slot, and calls that wait for one. */
  load(): QueueLoad
}

export type QueueLoad = { readonly running: number; readonly waiting: number }

/** The call was not made: too many wait before it. */
export class QueueFull extends ModelError {
  constructor(message: string) {
    super('rate_limited', message, { retryAfterMs: 5000 })
    this.name = 'QueueFull'
  }
}

type Waiter = { readonly limit: number; readonly enter: () => void }

/**
 * One caller with a thousand calls delays another's first call by one call, not by a thousand: principals take turns, and
 * the calls of each are served in the order they came.
 */
export function createFairQueue({ perPrincipal, total }: QueueBounds = defaultQueueBounds): FairQueue {
  let running = 0
  let waitingCount = 0
  /** By principal; the one whose turn is next comes first. A principal without waiters has no entry. */
  const waiting = new Map<string, Set<Waiter>>()

  const remove = (principal: string, waiter: Waiter) => {
    const own = waiting.get(principal)
    if (own?.delete(waiter) !== true) return
    waitingCount -= 1
    if (own.size === 0) waiting.delete(principal)
  }

  const admitNext = () => {
    for (const [principal, own] of waiting) {
      const [next] = own
      if (next === undefined || running >= next.limit) return
      remove(principal, next)
      // Behind the others, if it has more.
      if (waiting.delete(principal)) waiting.set(principal, own)
      next.enter()
    }
  }

  const slot = () => {
    let isGivenBack = false
    return () => {
      if (isGivenBack) return
      isGivenBack = true
      running -= 1
      admitNext()
    }
  }

  const add = (principal: string, waiter: Waiter) => {
    const own = waiting.get(principal) ?? new Set()
    if (own.size >= perPrincipal || waitingCount >= total) {
      const whose = own.size >= perPrincipal ? `${own.size} of your calls` : `${waitingCount} calls`
      throw new QueueFull(
        `${whose} wait for this provider already. Try again when some of them have ended, or raise its concurrency.`,
      )
    }
    own.add(waiter)
    waitingCount += 1
    waiting.set(principal, own)
  }

  return {
    load: () => ({ running, waiting: waitingCount }),
    take(limit, signal, principal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(endOf(signal))
        const leave = () => {
          remove(principal, waiter)
          reject(endOf(signal))
        }
        const enter = () => {
          signal.removeEventListener('abort', leave)
          running += 1
          resolve(slot())
        }
        const waiter: Waiter = { limit: limit ?? Number.POSITIVE_INFINITY, enter }
        if (running < waiter.limit) return enter()
        // A throw here rejects the promise.
        add(principal, waiter)
        signal.addEventListener('abort', leave, { once: true })
      })
    },
  }
}
