import type { Source } from '../adapters/source.ts'
import { ModelError } from '../model.ts'
import type { Sleep } from './waiting.ts'

const mostRetries = 2
/** If a provider asks for a longer wait, the call fails at once and the error contains the delay. */
const longestWaitMs = 20_000
const firstPauseMs = 500

/** Returns true if a retry can help: after a rate limit, an error of the provider or a failed connection. */
const canPass = ({ type, status }: ModelError): boolean =>
  type === 'rate_limited' ||
  type === 'unreachable' ||
  (type === 'provider_error' && status !== null && status >= 500)

export type Retrying = {
  readonly sleep: Sleep
  /**
   * Returns a number in [0, 1): the random part of a pause, so that callers do not retry at the same time.
   */
  readonly random: () => number
}

/** Retries until the first part of an answer arrives; after that a retry could produce a different answer. */
export function withRetries(source: Source, { sleep, random }: Retrying): Source {
  return async function* (request, signal) {
    for (let retry = 0; ; retry += 1) {
      let isBegun = false
      try {
        for await (const part of source(request, signal)) {
          isBegun = true
          yield part
        }
        return
      } catch (error) {
        const isWorthIt = error instanceof ModelError && canPass(error)
        if (isBegun || !isWorthIt || retry === mostRetries) throw error
        const pause = firstPauseMs * 2 ** retry * (0.5 + random() / 2)
        const waitMs = Math.max(error.retryAfterMs ?? 0, pause)
        if (waitMs > longestWaitMs) throw error
        await sleep(waitMs, signal)
      }
    }
  }
}
