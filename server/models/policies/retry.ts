import type { Source } from '../adapters/source.ts'
import { ModelError } from '../model.ts'
import type { Sleep } from './waiting.ts'

const mostRetries = 2
/** Longer than this nobody waits in front of a screen: the call fails at once and says how long it would be. */
const longestWaitMs = 20_000
const firstPauseMs = 500

/** Another try can help: too many requests, a fault of the provider's, a connection that did not come about. */
const canPass = ({ type, status }: ModelError): boolean =>
  type === 'rate_limited' ||
  type === 'unreachable' ||
  (type === 'provider_error' && status !== null && status >= 500)

export type Retrying = {
  readonly sleep: Sleep
  /** In [0, 1): the share of a pause that is left to chance, so that callers do not come back together. */
  readonly random: () => number
}

/** Tries again as long as nothing of an answer came: after the first byte a second try could say something else. */
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
