import type { IncomingMessage } from 'node:http'
import { fail, Problem } from '../../lib/fail.ts'
import { decoderOf } from '../protocols/decoder.ts'

/** Bodies of requests that are in memory: of one request, and of all. One principal can have half of all. */
export type BodyLimits = { readonly maxBytes: number; readonly maxTotalBytes: number }

export type RequestBody = {
  /** The bytes that were received. */
  readonly body: Buffer
  /** The body without its content encoding; the same as `body` if it has none, or cannot be decoded. */
  readonly content: Buffer
}

/** Reads bodies within limits. */
export type BodyReader = {
  /** Returns the body, and a function that returns its memory to the other requests of all principals. */
  read(req: IncomingMessage, principal: string): Promise<RequestBody & { readonly release: () => void }>
}

const mib = 1024 * 1024

const tooLarge = (maxBytes: number): Problem =>
  fail('request.too_large', { detail: `The body of a request can have at most ${maxBytes / mib} MiB.` })

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
      let held = 0
      const release = () => {
        change(principal, -held)
        held = 0
      }
      const hold = (bytes: number) => {
        held += bytes
        const own = change(principal, bytes)
        if (own > maxOwnBytes || total > maxTotalBytes)
          throw fail('rate_limited', {
            detail: 'The gateway is receiving too many large requests. Try again in a second.',
            retryAfter: 1,
          })
      }
      const add = (chunk: Buffer) => {
        size += chunk.length
        if (size > maxBytes) throw tooLarge(maxBytes)
        hold(chunk.length)
        chunks.push(chunk)
      }
      try {
        if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
        await receive(req, add)
        const body = Buffer.concat(chunks)
        const encoding = req.headers['content-encoding'] ?? ''
        return { body, content: await decoded(body, encoding, { maxBytes, hold }), release }
      } catch (error) {
        release()
        throw error instanceof Problem
          ? error
          : fail('request.malformed', { detail: 'The body ended too early.' })
      }
    },
  }
}

/** Passes each chunk of a request to `add`. Rejects if the request ends too early. */
async function receive(req: IncomingMessage, add: (chunk: Buffer) => void): Promise<void> {
  if (!req.complete) {
    for await (const chunk of req) add(chunk)
    return
  }
  // The request arrived as a whole, as most do: without the iterator, its events need not be awaited.
  for (let chunk = req.read(); chunk !== null; chunk = req.read()) add(chunk)
}

type DecodeLimits = { readonly maxBytes: number; readonly hold: (bytes: number) => void }

/**
 * Returns a body without its content encoding; the body itself if that is not possible. Both together have at most
 * `maxBytes`, so that a single request never exceeds the limit of its principal.
 */
async function decoded(body: Buffer, encoding: string, { maxBytes, hold }: DecodeLimits): Promise<Buffer> {
  const decoder = decoderOf(encoding)?.(body)
  if (decoder === undefined) return body
  decoder.end(body)
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      size += chunk.length
      // A few compressed kilobytes can expand to gigabytes.
      if (body.length + size > maxBytes) {
        hold(chunk.length - size)
        return body
      }
      hold(chunk.length)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    if (error instanceof Problem) throw error
    // The provider rejects a body that is not of its encoding.
    return body
  }
}
