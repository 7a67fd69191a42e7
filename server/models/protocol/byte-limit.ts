import { tooLarge } from '../policies/call-limits.ts'
import type { Fetch } from '../settings.ts'

/**
 * Limit for the bytes between two parsed parts of a reply: an endless line would otherwise accumulate in
 * memory.
 */
const maxUnparsedBytes = 16 * 1024 * 1024

export type ByteLimit = {
  readonly fetch: Fetch
  /** Restarts the count. Called for each parsed part. */
  reset(): void
}

/** Returns a `fetch` that counts the decompressed bytes of a reply and fails it at the limit. */
export function createByteLimit(fetch: Fetch): ByteLimit {
  let bytes = 0
  const count = () =>
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength
        if (bytes > maxUnparsedBytes) throw tooLarge(maxUnparsedBytes)
        controller.enqueue(chunk)
      },
    })
  return {
    fetch: async (input, init) => {
      const reply = await fetch(input, init)
      if (reply.body === null) return reply
      const { status, statusText, headers } = reply
      return new Response(reply.body.pipeThrough(count()), { status, statusText, headers })
    },
    reset() {
      bytes = 0
    },
  }
}
