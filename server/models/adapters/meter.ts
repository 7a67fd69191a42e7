import { tooLarge } from '../policies/call.ts'
import type { Fetch } from '../settings.ts'

/** Of a reply between two things understood in it: a line that never ends would otherwise be gathered in memory. */
const mostSilentBytes = 16 * 1024 * 1024

export type Meter = {
  readonly fetch: Fetch
  /** Something was understood: the count begins anew. */
  reset(): void
}

/** Counts what a reply brings, unpacked. */
export function createMeter(fetch: Fetch): Meter {
  let bytes = 0
  const count = () =>
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength
        if (bytes > mostSilentBytes) throw tooLarge(mostSilentBytes)
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
