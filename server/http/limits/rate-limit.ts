import { minuteMs } from '../../lib/durations.ts'
import { fail } from '../../lib/fail.ts'

export type RateLimitOptions = {
  readonly perMinute: number
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
  /** Maximum number of callers in memory. The oldest are removed first. */
  readonly maxRemembered?: number
}

export type RateLimit = {
  /**
   * Counts one request of a caller and sets the `RateLimit` headers of its reply
   * (draft-ietf-httpapi-ratelimit-headers-10). Throws 429 if the caller's quota is used up.
   */
  count(caller: string, res: HeaderTarget): void
}

type HeaderTarget = { setHeader(name: string, value: string): unknown }

type Bucket = { tokens: number; at: number }

/**
 * A token bucket per caller, which holds the quota of a minute. rate-limiter-flexible would keep a timer per
 * caller, and every request passes here.
 */
export function createRateLimit({
  perMinute,
  now = () => performance.now(),
  maxRemembered = 10_000,
}: RateLimitOptions): RateLimit {
  const perMs = perMinute / minuteMs
  const policy = `"requests";q=${perMinute};w=60`
  const buckets = new Map<string, Bucket>()

  const bucketOf = (caller: string, at: number): Bucket => {
    const known = buckets.get(caller)
    if (known !== undefined) {
      known.tokens = Math.min(perMinute, known.tokens + (at - known.at) * perMs)
      known.at = at
      return known
    }
    const bucket = { tokens: perMinute, at }
    buckets.set(caller, bucket)
    if (buckets.size > maxRemembered) removeUnused(at)
    return bucket
  }

  /**
   * Removes buckets unused for a minute: they are full again, like new ones. If none is, removes the oldest.
   */
  const removeUnused = (at: number) => {
    for (const [caller, bucket] of buckets) if (at - bucket.at >= minuteMs) buckets.delete(caller)
    const [oldest] = buckets.keys()
    if (buckets.size > maxRemembered && oldest !== undefined) buckets.delete(oldest)
  }

  return {
    count(caller, res) {
      const bucket = bucketOf(caller, now())
      const isAllowed = bucket.tokens >= 1
      if (isAllowed) bucket.tokens -= 1
      const reset = Math.ceil((perMinute - bucket.tokens) / perMs / 1000)
      res.setHeader('ratelimit-policy', policy)
      res.setHeader('ratelimit', `"requests";r=${Math.floor(bucket.tokens)};t=${reset}`)
      if (isAllowed) return
      const retryAfter = Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000))
      throw fail('rate_limited', {
        detail: `The limit is ${perMinute} requests per minute. Try again in ${retryAfter} s.`,
        retryAfter,
      })
    },
  }
}
