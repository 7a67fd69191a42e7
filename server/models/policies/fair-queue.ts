import { ModelError } from '../model.ts'
import { abortErrorOf } from './sleep.ts'

/** Limits for the number of waiting calls. A call beyond them is rejected immediately. */
export type QueueBounds = { readonly perPrincipal: number; readonly total: number }

const defaultQueueBounds: QueueBounds = { perPrincipal: 1000, total: 5000 }

/** A semaphore that serves its waiters in rotation, one principal after the other. */
export type FairQueue = {
  /**
   * Resolves with a function that releases the slot. `limit` is the current number of slots; null: no limit. It also
   * applies to the calls that wait already. Rejects with the reason of the signal, or with `QueueFull`.
   */
  take(limit: number | null, signal: AbortSignal, principal: string): Promise<() => void>
  /** Returns the number of calls that have a slot and of calls that wait for one. */
  load(): QueueLoad
}

export type QueueLoad = { readonly running: number; readonly waiting: number }

/** A call that was not made because too many calls are waiting. */
export class QueueFull extends ModelError {
  constructor(message: string) {
    super('rate_limited', message, { retryAfterMs: 5000 })
    this.name = 'QueueFull'
  }
}

/** Gives a waiting call its slot. */
type Waiter = () => void

/**
 * Creates a fair queue. Principals are served in rotation, and the calls of each principal in order of
 * arrival. A caller with a thousand calls therefore delays the first call of another caller by only one call.
 */
export function createFairQueue({ perPrincipal, total }: QueueBounds = defaultQueueBounds): FairQueue {
  let running = 0
  /** The number of slots at the latest call. */
  let slots = Number.POSITIVE_INFINITY
  let waitingCount = 0
  /** Waiters by principal; the next principal comes first. A principal without waiters has no entry. */
  const waiting = new Map<string, Set<Waiter>>()

  const remove = (principal: string, waiter: Waiter) => {
    const waiters = waiting.get(principal)
    if (waiters?.delete(waiter) !== true) return
    waitingCount -= 1
    if (waiters.size === 0) waiting.delete(principal)
  }

  const admitNext = () => {
    for (const [principal, waiters] of waiting) {
      const [next] = waiters
      if (next === undefined || running >= slots) return
      remove(principal, next)
      // Moves to the end of the rotation if the principal has more waiters.
      if (waiting.delete(principal)) waiting.set(principal, waiters)
      next()
    }
  }

  const slot = () => {
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      running -= 1
      admitNext()
    }
  }

  const add = (principal: string, waiter: Waiter) => {
    const waiters = waiting.get(principal) ?? new Set()
    if (waiters.size >= perPrincipal || waitingCount >= total) {
      const waitingCalls =
        waiters.size >= perPrincipal ? `${waiters.size} of your calls` : `${waitingCount} calls`
      throw new QueueFull(
        `${waitingCalls} already wait for this provider. Try again later, or raise its maximum of concurrent requests.`,
      )
    }
    waiters.add(waiter)
    waitingCount += 1
    waiting.set(principal, waiters)
  }

  return {
    load: () => ({ running, waiting: waitingCount }),
    take(limit, signal, principal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(abortErrorOf(signal))
        const onAbort = () => {
          remove(principal, admit)
          reject(abortErrorOf(signal))
        }
        const admit: Waiter = () => {
          signal.removeEventListener('abort', onAbort)
          running += 1
          resolve(slot())
        }
        slots = limit ?? Number.POSITIVE_INFINITY
        admitNext()
        if (running < slots) return admit()
        // A throw here rejects the promise.
        add(principal, admit)
        signal.addEventListener('abort', onAbort, { once: true })
      })
    },
  }
}
