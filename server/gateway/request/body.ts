import type { IncomingMessage } from 'node:http'
import { fail, Problem } from '../../lib/fail.ts'

/** Bodies of requests that are in memory: of one request, and of all. */
export type BodyLimits = { readonly maxBytes: number; readonly maxTotalBytes: number }

/** Reads bodies within limits. */
export type BodyReader = {
  /** Returns the body, and a function that returns its memory to the other requests. */
  read(req: IncomingMessage): Promise<{ readonly body: Buffer; readonly release: () => void }>
}

const mib = 1024 * 1024

const tooLarge = (maxBytes: number): Problem =>
  fail('request.too_large', { detail: `The body of a request can have at most ${maxBytes / mib} MiB.` })

/** Creates the reader of request bodies. */
export function createBodyReader({ maxBytes, maxTotalBytes }: BodyLimits): BodyReader {
  let total = 0

  return {
    async read(req) {
      const chunks: Buffer[] = []
      let size = 0
      const release = () => {
        total -= size
        size = 0
      }
      const add = (chunk: Buffer) => {
        size += chunk.length
        total += chunk.length
        if (size > maxBytes) throw tooLarge(maxBytes)
        if (total > maxTotalBytes)
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
