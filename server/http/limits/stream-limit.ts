import { fail } from '../../lib/fail.ts'

export type StreamLimit = {
  /** Counts a stream of a principal. Returns a function that ends it. Throws 429 at the limit. */
  enter(principal: string): () => void
}

export function createStreamLimit(perPrincipal: number): StreamLimit {
  const open = new Map<string, number>()
  return {
    enter(principal) {
      const count = open.get(principal) ?? 0
      if (count >= perPrincipal) {
        throw fail('rate_limited', {
          detail: `You have ${count} open event streams, the maximum for one caller. Close one, or send the request without \`stream\`.`,
          retryAfter: 5,
        })
      }
      open.set(principal, count + 1)
      return () => {
        const remaining = (open.get(principal) ?? 1) - 1
        if (remaining === 0) open.delete(principal)
        else open.set(principal, remaining)
      }
    },
  }
}
