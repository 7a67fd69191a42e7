import type { Part, Source } from '../adapters/source.ts'
import { type GenerateRequest, type Model, ModelError } from '../model.ts'
import type { FairQueue } from './fair-queue.ts'
import { createWatch } from './watch.ts'

export type CallParts = {
  readonly source: Source
  readonly queue: FairQueue
  /** Concurrent calls; null: no limit. */
  readonly concurrency: () => number | null
  /** Throws for errors that can be found without asking the provider. */
  readonly check: (request: GenerateRequest) => void
  /** Time limit of a call that sets none. */
  readonly wholeMs: number
  readonly stallMs: number
}

/** Limit for text and tool calls of one answer. */
const mostBytes = 4 * 1024 * 1024

/** Returns the error for an answer over a size limit in bytes. */
export const tooLarge = (bytes: number): ModelError =>
  new ModelError('too_large', `The answer is larger than ${bytes / 1024} KiB`)

function bytesOf(part: Part): number {
  if (part.type === 'delta') return Buffer.byteLength(part.text)
  return part.type === 'tool_call' ? Buffer.byteLength(JSON.stringify(part.call)) : 0
}

/**
 * Runs a call with all its limits in one loop: a layer per limit would cost time for every delta. A call
 * keeps its slot while it pauses between attempts, so that a busy provider gets fewer requests.
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
      // Not awaited: a source that hangs would block the caller, and its errors no longer matter.
      parts?.return?.().catch(() => undefined)
    }
  }
}
