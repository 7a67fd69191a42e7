import { storeRefusals } from './health.ts'
import { createStore } from './store.ts'

/** Until when the service asked for patience, in epoch milliseconds; null while it did not. */
export const busyUntil = createStore<number | null>(null)

const defaultWaitMs = 1_000
const longestWaitMs = 120_000
/** Tabs that were told to wait together must not come back together. */
const jitterMs = 500

/** `Retry-After` is seconds or a date (RFC 9110, 10.2.3). */
function waitOf(header: string | null): number {
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
 * `fetch` that keeps to what a 429 asks: until then nothing more is read, so that a page of queries waits once instead of
 * asking again and again. What a person does is sent at once and gets its own answer; signing in says its wait itself.
 */
export const patientFetch: typeof fetch = async (input, init) => {
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
    busyUntil.set(Math.max(until ?? 0, Date.now() + waitOf(response.headers.get('retry-after'))))
  } else if (until !== null && until <= Date.now()) {
    busyUntil.set(null)
  }
  return response
}
