import { ModelError } from '../model.ts'
import type { Part, Source } from '../source.ts'
import type { Sleep } from './sleep.ts'

const maxRetries = 2
/** If a provider asks for a longer wait, the call fails immediately and the error contains the delay. */
const maxWaitMs = 20_000
const firstPauseMs = 500

/** Returns true if a retry can help: after a rate limit, an error of the provider or a failed connection. */
const isTemporary = ({ type, status }: ModelError): boolean =>
  type === 'rate_limited' ||
  type === 'unreachable' ||
  (type === 'provider_error' && status !== null && status >= 500)

export type RetryOptions = {
  readonly sleep: Sleep
  /**
   * Returns a number in [0, 1): the random part of a pause, so that callers do not retry at the same time.
   */
  readonly random: () => number
}

/** Retries until the first part of a response arrives; after that a retry could produce a different response. */
export const withRetries =
  (source: Source, options: RetryOptions): Source =>
  (request, signal) =>
    attempts(() => source(request, signal), options, signal)

async function* attempts(
  attempt: () => AsyncIterable<Part>,
  { sleep, random }: RetryOptions,
  signal: AbortSignal,
): AsyncGenerator<Part> {
  for (let retry = 0; ; retry += 1) {
    let isBegun = false
    try {
      for await (const part of attempt()) {
        isBegun = true
        yield part
      }
      return
    } catch (error) {
      const waitMs = isBegun || retry === maxRetries ? null : waitBefore(error, retry, random)
      if (waitMs === null) throw error
      await sleep(waitMs, signal)
    }
  }
}

/** Returns the wait before a retry in milliseconds, with exponential backoff; null if none can help. */
function waitBefore(error: unknown, retry: number, random: () => number): number | null {
  if (!(error instanceof ModelError) || !isTemporary(error)) return null
  const pauseMs = firstPauseMs * 2 ** retry * (0.5 + random() / 2)
  const waitMs = Math.max(error.retryAfterMs ?? 0, pauseMs)
  return waitMs > maxWaitMs ? null : waitMs
}
