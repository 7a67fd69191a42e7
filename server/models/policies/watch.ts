import { ModelError } from '../model.ts'
import { endOf } from './waiting.ts'

export type TimeLimits = {
  /** The whole call: waiting for its turn, its tries and the pauses between them. */
  readonly wholeMs: number
  /** Silence in a stream that has begun. How long a model thinks before its first word is a matter of the whole. */
  readonly stallMs: number
}

/** Ends a call: when its caller leaves, when it takes too long, when its stream falls silent. */
export type Watch = {
  /** Aborts with the reason as a `ModelError`. */
  readonly signal: AbortSignal
  /** What the source does next, or the end of the call if that comes first. */
  next<T>(promise: Promise<T>): Promise<T>
  /** The source gave a sign of life. */
  alive(): void
  /** Nobody is interested any more: whatever still runs under the signal ends. */
  stop(): void
}

/** One listener and two timers for a call, however many pieces it has: pieces are many, and calls too. */
export function createWatch(caller: AbortSignal, { wholeMs, stallMs }: TimeLimits): Watch {
  const own = new AbortController()
  const idle = () => undefined
  let give: (error: ModelError) => void = idle
  let isWaiting = false
  let stalling: NodeJS.Timeout | undefined

  const end = (reason: ModelError) => {
    own.abort(reason)
    give(reason)
  }
  const leave = () => end(endOf(caller))
  if (caller.aborted) leave()
  else caller.addEventListener('abort', leave, { once: true })
  const late = setTimeout(
    () => end(new ModelError('timeout', `No whole answer within ${wholeMs / 1000} s`)),
    wholeMs,
  )

  const check = () => {
    // A reader that takes its time is not the provider's silence.
    if (!isWaiting) stalling?.refresh()
    else end(new ModelError('stalled', `The answer stalled for ${stallMs / 1000} s`))
  }

  return {
    signal: own.signal,
    next(promise) {
      return new Promise((resolve, reject) => {
        give = reject
        isWaiting = true
        stalling?.refresh()
        promise.then(resolve, reject)
        if (own.signal.aborted) reject(endOf(own.signal))
      })
    },
    alive() {
      isWaiting = false
      give = idle
      stalling ??= setTimeout(check, stallMs)
    },
    stop() {
      clearTimeout(late)
      clearTimeout(stalling)
      caller.removeEventListener('abort', leave)
      own.abort()
    },
  }
}
