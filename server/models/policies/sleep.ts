import { ModelError } from '../model.ts'

/** Waits for a time. An argument of the policies, so that tests can replace it. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

/**
 * Returns the error of an aborted call: the `ModelError` given as the reason, such as a time limit, or else
 * `cancelled`.
 */
export function abortErrorOf(signal: AbortSignal): ModelError {
  return signal.reason instanceof ModelError
    ? signal.reason
    : new ModelError('cancelled', 'The call was cancelled')
}

/** Rejects as soon as the call is aborted, and removes its listener in either case. */
export const sleep: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortErrorOf(signal))
    const onAbort = () => {
      clearTimeout(timer)
      reject(abortErrorOf(signal))
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal.addEventListener('abort', onAbort, { once: true })
  })
