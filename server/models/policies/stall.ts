import type { Generate, Source } from '../adapters/source.ts'
import { ModelError } from '../model.ts'
import { orAborted } from './waiting.ts'

/**
 * Ends a stream that falls silent. Counted from its first sign of life: how long a model may think before it says
 * anything is a matter of the whole call's time-out. Whatever happens, leaving here leaves no socket open.
 */
export function withStallLimit(source: Source, stallMs: number): Generate {
  return async function* (request, signal) {
    const own = new AbortController()
    const either = AbortSignal.any([signal, own.signal])
    const parts = source(request, either)[Symbol.asyncIterator]()
    const stop = () => own.abort(new ModelError('stalled', `The answer stalled for ${stallMs / 1000} s`))
    let isBegun = false
    try {
      for (;;) {
        const timer = isBegun ? setTimeout(stop, stallMs) : undefined
        const next = await orAborted(parts.next(), either).finally(() => clearTimeout(timer))
        isBegun = true
        if (next.done) return
        if (next.value.type !== 'alive') yield next.value
      }
    } finally {
      own.abort()
    }
  }
}
