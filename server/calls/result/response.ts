import type { ToolCall } from '../../../contract/models/models.ts'
import { maxOutputLength } from '../../../contract/runs/run-content.ts'
import { type GenerateRequest, ModelError, type ModelEvent, type Usage } from '../../models/model.ts'

/** The response of a model, complete or partial. */
export type ModelResponse = {
  readonly output: string
  readonly toolCalls: readonly ToolCall[]
  readonly finishReason: string | null
  readonly usage: Usage | null
  /** Milliseconds until the first text or tool call; null if none came. */
  readonly ttftMs: number | null
  readonly latencyMs: number
  /** Null: the response is complete. */
  readonly failure: ModelError | null
}

/** An event of a response in progress. */
export type ResponseEvent = Exclude<ModelEvent, { type: 'end' }>

type Generate = (request: GenerateRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>

/**
 * Reads the response of a model to its end. Never throws: the response contains the failure and everything
 * received before it. An abort of the signal ends the call immediately with the signal's reason, even if the
 * provider ignores the signal.
 */
export async function collectResponse(
  generate: Generate,
  request: GenerateRequest,
  signal: AbortSignal,
  onEvent: (event: ResponseEvent) => void,
): Promise<ModelResponse> {
  const collector = new Collector(onEvent)
  const aborted = rejectOnAbort(signal)
  let failure: ModelError | null = null
  try {
    await Promise.race([aborted.promise, collector.read(generate(request, signal))])
  } catch (error) {
    failure = asModelError(signal.aborted ? signal.reason : error)
  } finally {
    collector.stop()
    aborted.release()
  }
  return collector.response(failure)
}

/** The part of a response that was received so far. */
class Collector {
  readonly #begun = performance.now()
  readonly #onEvent: (event: ResponseEvent) => void
  readonly #toolCalls: ToolCall[] = []
  #output = ''
  #size = 0
  #ttftMs: number | null = null
  #end: Extract<ModelEvent, { type: 'end' }> | null = null
  #isStopped = false

  constructor(onEvent: (event: ResponseEvent) => void) {
    this.#onEvent = onEvent
  }

  /** Reads all events. Throws if the response is too large or has no end. */
  async read(events: AsyncIterable<ModelEvent>): Promise<void> {
    for await (const event of events) {
      if (this.#isStopped) return
      if (event.type === 'end') {
        this.#end = event
        return
      }
      this.#add(event)
    }
    throw new ModelError('malformed', 'The response ended without an end event')
  }

  /** Ignores all later events. */
  stop(): void {
    this.#isStopped = true
  }

  response(failure: ModelError | null): ModelResponse {
    return {
      output: this.#output,
      toolCalls: this.#toolCalls,
      finishReason: this.#end?.finishReason ?? null,
      usage: this.#end?.usage ?? null,
      ttftMs: this.#ttftMs,
      latencyMs: this.#elapsedMs(),
      failure,
    }
  }

  #add(event: ResponseEvent): void {
    this.#ttftMs ??= this.#elapsedMs()
    this.#size += event.type === 'delta' ? event.text.length : JSON.stringify(event.call).length
    if (this.#size > maxOutputLength)
      throw new ModelError('too_large', 'The response is larger than 512 Ki characters')
    if (event.type === 'delta') this.#output += event.text
    else this.#toolCalls.push(event.call)
    this.#onEvent(event)
  }

  #elapsedMs(): number {
    return Math.round((performance.now() - this.#begun) * 1000) / 1000
  }
}

/** A promise that rejects with the reason of the signal. `release` removes its listener. */
function rejectOnAbort(signal: AbortSignal): { promise: Promise<never>; release: () => void } {
  let release = () => {}
  const promise = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason)
    release = () => signal.removeEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort)
  })
  return { promise, release }
}

const asModelError = (error: unknown): ModelError =>
  error instanceof ModelError
    ? error
    : new ModelError('provider_error', 'The response could not be read', { cause: error })
