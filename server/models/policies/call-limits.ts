import { type CallOutcome, type GenerateRequest, type Model, ModelError } from '../model.ts'
import type { Part, Source } from '../source.ts'
import { createCallObserver } from './call-observer.ts'
import { createCallTimer } from './call-timer.ts'
import type { FairQueue } from './fair-queue.ts'

export type LimitedCall = {
  readonly source: Source
  readonly queue: FairQueue
  /** Concurrent calls; null: no limit. */
  readonly concurrency: () => number | null
  /** Throws for errors that can be found without a request to the provider. */
  readonly check: (request: GenerateRequest) => void
  /** Time limit of a call that sets none, in milliseconds. */
  readonly totalMs: number
  readonly stallMs: number
  /** Called when the call gets its slot; the returned function receives its outcome. */
  readonly observe?: () => (outcome: CallOutcome) => void
}

/** Limit for text and tool calls of one response, in bytes. */
const maxBytes = 4 * 1024 * 1024

/** Returns the error for a response over a size limit in bytes. */
export const tooLarge = (bytes: number): ModelError =>
  new ModelError('too_large', `The response is larger than ${bytes / 1024} KiB`)

function bytesOf(part: Part): number {
  if (part.type === 'delta') return Buffer.byteLength(part.text)
  return part.type === 'tool_call' ? Buffer.byteLength(JSON.stringify(part.call)) : 0
}

/**
 * Runs a call with all its limits in one loop: a layer per limit would cost time for every delta. A call
 * keeps its slot while it pauses between attempts, so that a busy provider gets fewer requests.
 */
export function withLimits({
  source,
  queue,
  concurrency,
  check,
  totalMs,
  stallMs,
  observe,
}: LimitedCall): Model['generate'] {
  return async function* (request, signal, principal) {
    check(request)
    const timer = createCallTimer(signal, { totalMs: request.params.timeout_ms ?? totalMs, stallMs })
    let releaseSlot: (() => void) | null = null
    let parts: AsyncIterator<Part> | null = null
    const observer = createCallObserver(observe, request)
    try {
      releaseSlot = await queue.take(concurrency(), timer.signal, principal)
      observer.begin()
      parts = source(request, timer.signal)[Symbol.asyncIterator]()
      for (let bytes = 0; ; ) {
        const next = await timer.next(parts.next())
        if (next.done) return
        timer.progress()
        if (next.value.type === 'activity') continue
        bytes += bytesOf(next.value)
        if (bytes > maxBytes) throw tooLarge(maxBytes)
        observer.received(next.value)
        yield next.value
      }
    } catch (error) {
      observer.failed(error)
      throw error
    } finally {
      timer.stop()
      releaseSlot?.()
      // Not awaited: a source that hangs would block the caller, and its errors no longer matter.
      parts?.return?.().catch(() => undefined)
    }
  }
}
