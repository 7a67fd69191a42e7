import { ModelError } from '../model.ts'

/** Time as the policies use it: a test can pass its own. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/**
 * Why an aborted call ended. Whoever aborts for a reason of its own (a time-out) gives it as a `ModelError`; without one
 * the caller left.
 */
export function endOf(signal: AbortSignal): ModelError {
  return signal.reason instanceof ModelError
    ? signal.reason
    : new ModelError('cancelled', 'The call was cancelled')
}

/** Rejects as soon as the call is aborted, leaving nothing behind on the signal. */
export const sleep: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(endOf(signal))
    const leave = () => {
      clearTimeout(timer)
      reject(endOf(signal))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave)
      resolve()
    }, ms)
    signal.addEventListener('abort', leave, { once: true })
  })
