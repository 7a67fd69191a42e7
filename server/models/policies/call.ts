import type { Part, Source } from '../adapters/source.ts'
import { type GenerateRequest, type Model, ModelError } from '../model.ts'
import type { FairQueue } from './fair-queue.ts'
import { createWatch } from './watch.ts'

export type CallParts = {
  readonly source: Source
  readonly queue: FairQueue
  /** Calls at one time; null: no limit. */
  readonly concurrency: () => number | null
  /** Throws what can be said without asking the provider. */
  readonly check: (request: GenerateRequest) => void
  /** Of a call that sets none. */
  readonly wholeMs: number
  readonly stallMs: number
}

/** Of text and tool calls in one answer. */
const mostBytes = 4 * 1024 * 1024

export const tooLarge = (bytes: number): ModelError =>
  new ModelError('too_large', `The answer is larger than ${bytes / 1024} KiB`)

function bytesOf(part: Part): number {
  if (part.type === 'delta') return Buffer.byteLength(part.text)
  return part.type === 'tool_call' ? Buffer.byteLength(JSON.stringify(part.call)) : 0
}

/**
 * A call from its turn to its end. One loop for all its limits, not a layer for each: every layer would cost every piece
 * of every answer. A call holds its place while it pauses between tries: a provider that is busy is asked less.
 */
export function callOf({
  source,
  queue,
  concurrency,
  check,
  wholeMs,
  stallMs,
}: CallParts): Model['generate'] {
  return async function* (request, signal, principal) {
    check(request)
    const watch = createWatch(signal, { wholeMs: request.params.timeout_ms ?? wholeMs, stallMs })
    let leave: (() => void) | null = null
    let parts: AsyncIterator<Part> | null = null
    try {
      leave = await queue.take(concurrency(), watch.signal, principal)
      parts = source(request, watch.signal)[Symbol.asyncIterator]()
      for (let bytes = 0; ; ) {
        const next = await watch.next(parts.next())
        if (next.done) return
        watch.alive()
        if (next.value.type === 'alive') continue
        bytes += bytesOf(next.value)
        if (bytes > mostBytes) throw tooLarge(mostBytes)
        yield next.value
      }
    } finally {
      watch.stop()
      leave?.()
      // Not waited for: a source that hangs would keep the caller, and what it throws now was said or is of no interest.
      parts?.return?.().catch(() => undefined)
    }
  }
}
