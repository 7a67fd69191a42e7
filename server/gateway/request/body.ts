import type { IncomingMessage } from 'node:http'
import { fail, Problem } from '../../lib/fail.ts'

/** Bodies of requests that are in memory: of one request, and of all. One principal can have half of all. */
export type BodyLimits = { readonly maxBytes: number; readonly maxTotalBytes: number }

/** Reads bodies within limits. */
export type BodyReader = {
  /** Returns the body, and a function that returns its memory to the other requests of all principals. */
  read(
    req: IncomingMessage,
    principal: string,
  ): Promise<{ readonly body: Buffer; readonly release: () => void }>
}

const mib = 1024 * 1024

const tooLarge = (maxBytes: number): Problem =>
  fail('request.too_large', { detail: `The body of a request can have at most ${maxBytes / mib} MiB.` })

/** Creates the reader of request bodies. */
export function createBodyReader({ maxBytes, maxTotalBytes }: BodyLimits): BodyReader {
  // Not all of it, because a provider that does not reply keeps bodies in memory for minutes.
  const maxOwnBytes = Math.max(maxBytes, maxTotalBytes / 2)
  let total = 0
  const byPrincipal = new Map<string, number>()
  /** Returns the bytes of a principal after a change. */
  const change = (principal: string, bytes: number): number => {
    total += bytes
    const own = (byPrincipal.get(principal) ?? 0) + bytes
    if (own === 0) byPrincipal.delete(principal)
    else byPrincipal.set(principal, own)
    return own
  }

  return {
    async read(req, principal) {
      const chunks: Buffer[] = []
      let size = 0
      const release = () => {
        change(principal, -size)
        size = 0
      }
      const add = (chunk: Buffer) => {
        size += chunk.length
        const own = change(principal, chunk.length)
        if (size > maxBytes) throw tooLarge(maxBytes)
        if (own > maxOwnBytes || total > maxTotalBytes)
          throw fail('rate_limited', {
            detail: 'The gateway is receiving too many large requests. Try again in a second.',
            retryAfter: 1,
          })
        chunks.push(chunk)
      }
      try {
        if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
        for await (const chunk of req) add(chunk)
        return { body: Buffer.concat(chunks), release }
      } catch (error) {
        release()
        throw error instanceof Problem
          ? error
          : fail('request.malformed', { detail: 'The body ended too early.' })
      }
    },
  }
}
