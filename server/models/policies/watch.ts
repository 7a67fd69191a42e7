import { ModelError } from '../model.ts'
import { endOf } from './waiting.ts'

export type TimeLimits = {
  /** The whole call: waiting for a slot, attempts and the pauses between them. */
  readonly wholeMs: number
  /** Silence within a stream that has begun. The time before the first part counts only towards the whole. */
  readonly stallMs: number
}

/** Ends a call when its caller leaves, when it takes too long or when its stream stalls. */
export type Watch = {
  /** Aborts with a `ModelError` as the reason. */
  readonly signal: AbortSignal
  /** Settles with the promise of the source, or rejects when the call ends first. */
  next<T>(promise: Promise<T>): Promise<T>
  /** Records a sign of life from the source. */
  alive(): void
  /** Stops the limits, and aborts what still runs under the signal. */
  stop(): void
}

/** One listener and two timers per call, independent of the number of parts. */
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
    // A slow reader does not count as a stalled provider.
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
