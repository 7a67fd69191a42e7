import type { ToolCall } from '../../contract/models.ts'
import { type GenerateRequest, ModelError, type ModelEvent, type Usage } from '../models/model.ts'

/** The answer of a model, complete or partial. */
export type Answer = {
  readonly output: string
  readonly toolCalls: readonly ToolCall[]
  readonly finishReason: string | null
  readonly usage: Usage | null
  /** Milliseconds until the first text or tool call; null if none came. */
  readonly ttftMs: number | null
  readonly latencyMs: number
  /** Null: the answer is complete. */
  readonly failure: ModelError | null
}

export type Piece = Exclude<ModelEvent, { type: 'end' }>

/** Limit in UTF-16 units, the same as the run log's. */
const mostOutput = 524_288

/**
 * Reads the answer of a model to its end. Never throws: the answer contains the failure and everything
 * received before it. An abort of the signal ends the call at once with the signal's reason, even if the
 * provider ignores the signal.
 */
export async function hear(
  generate: (request: GenerateRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>,
  request: GenerateRequest,
  signal: AbortSignal,
  onPiece: (piece: Piece) => void,
): Promise<Answer> {
  const begun = performance.now()
  const since = () => Math.round((performance.now() - begun) * 1000) / 1000
  const toolCalls: ToolCall[] = []
  let output = ''
  let size = 0
  let ttftMs: number | null = null
  let finishReason: string | null = null
  let usage: Usage | null = null
  let isOver = false

  const listen = async () => {
    for await (const event of generate(request, signal)) {
      if (isOver) return
      if (event.type === 'end') {
        finishReason = event.finishReason
        usage = event.usage
        return
      }
      ttftMs ??= since()
      if (event.type === 'delta') {
        size += event.text.length
        if (size <= mostOutput) output += event.text
      } else {
        size += JSON.stringify(event.call).length
        if (size <= mostOutput) toolCalls.push(event.call)
      }
      if (size > mostOutput) throw new ModelError('too_large', 'The answer is larger than 512 Ki characters')
      onPiece(event)
    }
    throw new ModelError('malformed', 'The answer broke off without an end')
  }

  let failure: ModelError | null = null
  let stopListening = () => {}
  try {
    const stopped = new Promise<never>((_, reject) => {
      const stop = () => reject(signal.reason)
      stopListening = () => signal.removeEventListener('abort', stop)
      if (signal.aborted) stop()
      else signal.addEventListener('abort', stop)
    })
    await Promise.race([stopped, listen()])
  } catch (error) {
    failure = asModelError(signal.aborted ? signal.reason : error)
  } finally {
    isOver = true
    stopListening()
  }
  return { output, toolCalls, finishReason, usage, ttftMs, latencyMs: since(), failure }
}

const asModelError = (error: unknown): ModelError =>
  error instanceof ModelError
    ? error
    : new ModelError('provider_error', 'The answer could not be read', { cause: error })
