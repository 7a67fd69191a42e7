import { createHash } from 'node:crypto'
import type { ReplyContent } from '../protocols/reply-content.ts'

/** A whole reply of a provider, as its bytes came. */
export type CachedReply = {
  readonly status: number
  readonly statusMessage: string
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
  readonly content: ReplyContent
}

/** Replies in memory, by the exact request of a token. They end with the process. */
export type ResponseCache = {
  get(key: string): CachedReply | null
  put(key: string, reply: CachedReply, seconds: number): void
}

/** The largest reply that is kept, and the size of all, in bytes. */
export const maxReplyBytes = 1024 * 1024
const maxBytes = 64 * 1024 * 1024

type Entry = { readonly reply: CachedReply; readonly size: number; readonly expiresAt: number }

/** `now`: the time in milliseconds. The reply that was not used for the longest time is removed first. */
export function createResponseCache(now: () => number, limitBytes = maxBytes): ResponseCache {
  const entries = new Map<string, Entry>()
  let bytes = 0
  const remove = (key: string): void => {
    bytes -= entries.get(key)?.size ?? 0
    entries.delete(key)
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return null
      remove(key)
      if (entry.expiresAt <= now()) return null
      // The last one in the order of the map is the one used last.
      entries.set(key, entry)
      bytes += entry.size
      return entry.reply
    },
    put(key, reply, seconds) {
      // The parsed copy has about the size of the bytes.
      const size = 2 * reply.body.length + 4096
      remove(key)
      if (reply.body.length > maxReplyBytes || size > limitBytes) return
      entries.set(key, { reply, size, expiresAt: now() + seconds * 1000 })
      bytes += size
      for (const oldest of entries.keys()) {
        if (bytes <= limitBytes) break
        remove(oldest)
      }
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
