import { ModelError } from '../model.ts'
import { abortErrorOf } from './sleep.ts'

export type TimeLimits = {
  /** The whole call: waiting for a slot, attempts and the pauses between them. */
  readonly totalMs: number
  /** Silence within a stream that has begun. The time before the first part counts only towards the total. */
  readonly stallMs: number
}

/** Ends a call when its caller disconnects, when it takes too long or when its stream stalls. */
export type CallTimer = {
  /** Aborts with a `ModelError` as the reason. */
  readonly signal: AbortSignal
  /** Settles with the promise of the source, or rejects when the call ends first. */
  next<T>(promise: Promise<T>): Promise<T>
  /** Records that the source has sent something. */
  progress(): void
  /** Stops the limits, and aborts what still runs under the signal. */
  stop(): void
}

/** One listener and two timers per call, independent of the number of parts. */
export function createCallTimer(caller: AbortSignal, { totalMs, stallMs }: TimeLimits): CallTimer {
  const controller = new AbortController()
  const ignore = () => undefined
  let rejectNext: (error: ModelError) => void = ignore
  let isWaiting = false
  let stallTimer: NodeJS.Timeout | undefined

  const end = (reason: ModelError) => {
    controller.abort(reason)
    rejectNext(reason)
  }
  const onAbort = () => end(abortErrorOf(caller))
  if (caller.aborted) onAbort()
  else caller.addEventListener('abort', onAbort, { once: true })
  const totalTimer = setTimeout(
    () => end(new ModelError('timeout', `No complete response within ${totalMs / 1000} s`)),
    totalMs,
  )

  const check = () => {
    // A slow reader does not count as a stalled provider.
    if (!isWaiting) stallTimer?.refresh()
    else end(new ModelError('stalled', `The response stalled for ${stallMs / 1000} s`))
  }

  return {
    signal: controller.signal,
    next(promise) {
      return new Promise((resolve, reject) => {
        rejectNext = reject
        isWaiting = true
        stallTimer?.refresh()
        promise.then(resolve, reject)
        if (controller.signal.aborted) reject(abortErrorOf(controller.signal))
      })
    },
    progress() {
      isWaiting = false
      rejectNext = ignore
      stallTimer ??= setTimeout(check, stallMs)
    },
    stop() {
      clearTimeout(totalTimer)
      clearTimeout(stallTimer)
      caller.removeEventListener('abort', onAbort)
      controller.abort()
    },
  }
}
