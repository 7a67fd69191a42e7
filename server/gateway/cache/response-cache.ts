import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ReplyContent } from '../protocols/reply-content.ts'

/** A complete reply of a provider, with its bytes unchanged. */
export type CachedReply = {
  readonly status: number
  readonly statusMessage: string
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly content: ReplyContent
}

/** Replies in memory, by the exact request of a token. They are lost when the process ends. */
export type ResponseCache = {
  get(key: string): CachedReply | null
  put(key: string, reply: CachedReply, seconds: number): void
}

/** The largest reply that is kept, and the size of all, in bytes. */
export const maxReplyBytes = 1024 * 1024
const maxBytes = 64 * 1024 * 1024

/** `now`: the time in milliseconds. The reply that was not used for the longest time is removed first. */
export function createResponseCache(now: () => number, limitBytes = maxBytes): ResponseCache {
  const replies = new LRUCache<string, CachedReply>({
    maxSize: limitBytes,
    // The parsed copy has about the size of the bytes.
    sizeCalculation: ({ body }) => 2 * body.length + 4096,
    perf: { now },
    // Without it, a reply may be returned for a millisecond after its time.
    ttlResolution: 0,
  })
  return {
    get: (key) => replies.get(key) ?? null,
    put(key, reply, seconds) {
      if (reply.body.length > maxReplyBytes) replies.delete(key)
      else replies.set(key, reply, { ttl: seconds * 1000 })
    },
  }
}

/** Headers of a request on which its reply may depend. */
const keyHeaders = [
  'accept',
  'accept-encoding',
  'anthropic-beta',
  'anthropic-version',
  'content-type',
  'openai-beta',
  'openai-organization',
  'openai-project',
]

/** Returns the key of a request: the hash of everything on which its reply may depend. */
export function cacheKey(
  parts: readonly (string | null)[],
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Buffer | null,
): string {
  const given = keyHeaders.map((name) => headers[name] ?? null)
  const hash = createHash('sha256').update(JSON.stringify([parts, given]))
  return hash.update(body ?? '').digest('base64')
}
