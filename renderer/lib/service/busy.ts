import { createStore } from '../state/store.ts'
import { storeRefusals } from './health.ts'

/**
 * Time until which reads wait because of a 429, in epoch milliseconds; null if the service asked for no wait.
 */
export const busyUntil = createStore<number | null>(null)

const defaultWaitMs = 1_000
const longestWaitMs = 120_000
/** Jitter, so that waiting tabs do not all return at the same time. */
const jitterMs = 500

/** Returns the wait in milliseconds. `Retry-After` is seconds or a date (RFC 9110, 10.2.3). */
function retryAfterMs(header: string | null): number {
  const seconds = Number(header ?? Number.NaN)
  const ms = Number.isNaN(seconds) ? Date.parse(header ?? '') - Date.now() : seconds * 1000
  return Number.isNaN(ms) ? defaultWaitMs : Math.min(longestWaitMs, Math.max(defaultWaitMs, ms))
}

const sleep = (ms: number, signal: AbortSignal | null | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(new DOMException('The request was given up', 'AbortError'))
    })
  })

/**
 * `fetch` that obeys a 429: reads wait until the given time, so that a page of queries waits once instead of
 * retrying each of them. Writes are sent immediately.
 */
export const rateLimitedFetch: typeof fetch = async (input, init) => {
  const isRead = init?.method === 'GET'
  for (let until = busyUntil.get(); isRead && until !== null; until = busyUntil.get()) {
    const left = until - Date.now()
    if (left <= 0) break
    await sleep(left + Math.random() * jitterMs, init?.signal)
  }
  const response = await fetch(input, init)
  if (response.status === 507) storeRefusals.set(storeRefusals.get() + 1)
  const until = busyUntil.get()
  if (response.status === 429 && isRead) {
    busyUntil.set(Math.max(until ?? 0, Date.now() + retryAfterMs(response.headers.get('retry-after'))))
  } else if (until !== null && until <= Date.now()) {
    busyUntil.set(null)
  }
  return response
}
