import { hourMs } from '../../lib/durations.ts'
import type { IdempotencyKey, Reply } from './idempotency.store.ts'

export type PrivateReplies = {
  find(id: IdempotencyKey, now: Date): Reply | undefined
  store(id: IdempotencyKey, reply: Reply, now: Date): void
}

const retentionMs = hourMs
/** Maximum number of characters of all replies and their keys. The oldest are evicted first. */
const maxLength = 16 * 1024 * 1024

/**
 * Stores replies that must not be written to disk, in memory for an hour. This covers repetitions after a
 * lost connection.
 */
export function createPrivateReplies(): PrivateReplies {
  const replies = new Map<string, { reply: Reply; until: number }>()
  let length = 0
  const nameOf = ({ actor, route, key }: IdempotencyKey) => JSON.stringify([actor, route, key])
  const lengthOf = (name: string, { json }: Reply) => name.length + json.length
  const drop = (name: string) => {
    const stored = replies.get(name)
    if (stored === undefined) return
    length -= lengthOf(name, stored.reply)
    replies.delete(name)
  }
  return {
    find(id, now) {
      const name = nameOf(id)
      const found = replies.get(name)
      if (found !== undefined && found.until <= now.getTime()) drop(name)
      return replies.get(name)?.reply
    },
    store(id, reply, now) {
      const name = nameOf(id)
      drop(name)
      replies.set(name, { reply, until: now.getTime() + retentionMs })
      length += lengthOf(name, reply)
      for (const [oldest, { until }] of replies) {
        if (length <= maxLength && until > now.getTime()) break
        drop(oldest)
      }
    },
  }
}
