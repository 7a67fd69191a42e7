import type { Generate } from '../adapters/source.ts'
import { ModelError } from '../model.ts'

/** Bytes of text and tool calls in one answer. */
export const mostOutputBytes = 4 * 1024 * 1024

export function withOutputCap(generate: Generate, mostBytes = mostOutputBytes): Generate {
  return async function* (request, signal) {
    let bytes = 0
    for await (const event of generate(request, signal)) {
      if (event.type === 'delta') bytes += Buffer.byteLength(event.text)
      if (event.type === 'tool_call') bytes += Buffer.byteLength(JSON.stringify(event.call))
      if (bytes > mostBytes) throw tooLarge(mostBytes)
      yield event
    }
  }
}

export const tooLarge = (mostBytes: number): ModelError =>
  new ModelError('too_large', `The answer is larger than ${Math.floor(mostBytes / 1024)} KiB`)
