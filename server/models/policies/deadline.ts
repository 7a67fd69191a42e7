import type { Generate } from '../adapters/source.ts'
import { ModelError } from '../model.ts'

/** The whole call: waiting for its turn, its tries and the pauses between them. */
export function withDeadline(generate: Generate, defaultMs: number): Generate {
  return async function* (request, signal) {
    const limitMs = request.params.timeout_ms ?? defaultMs
    const late = new AbortController()
    const timer = setTimeout(
      () => late.abort(new ModelError('timeout', `No whole answer within ${limitMs / 1000} s`)),
      limitMs,
    )
    try {
      yield* generate(request, AbortSignal.any([signal, late.signal]))
    } finally {
      clearTimeout(timer)
    }
  }
}
