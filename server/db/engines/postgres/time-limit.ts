import { translate } from './errors.ts'

export type TimeLimit = { readonly expired: Promise<never>; hasExpired(): boolean; stop(): void }

/** Starts a timer, after which `expired` rejects. */
export function startTimeLimit(ms: number, errorOf: () => Error): TimeLimit {
  let isExpired = false
  let stop = (): void => {}
  const expired = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => {
      isExpired = true
      reject(errorOf())
    }, ms)
    stop = () => clearTimeout(timer)
  })
  expired.catch(() => {})
  return { expired, hasExpired: () => isExpired, stop: () => stop() }
}

/** Returns the reply to a statement that waits for nothing, or throws `store.unavailable`: the connection is dead. */
export async function aliveReply<T>(reply: Promise<T>, aliveMs: number): Promise<T> {
  const limit = startTimeLimit(aliveMs, () => translate(new Error('timeout expired'), ''))
  try {
    return await Promise.race([reply, limit.expired])
  } finally {
    limit.stop()
  }
}
