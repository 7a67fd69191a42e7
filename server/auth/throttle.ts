import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Clock } from '../lib/clock.ts'
import { fail } from '../lib/fail.ts'
import { fold } from '../lib/text.ts'

export type ThrottleOptions = {
  readonly clock: Clock
  /** Failures per (name, address) that cost nothing yet. */
  readonly perUser?: number
  /** Failures per address, whatever the name. */
  readonly perAddress?: number
  readonly windowMs?: number
  readonly maxDelayMs?: number
  /** How many pairs and how many addresses are remembered; the longest untouched are forgotten first. */
  readonly maxRemembered?: number
  /** How many attempts of one address may wait for each other. */
  readonly maxWaiting?: number
}

export type Throttle = {
  /**
   * Runs `verify` unless this name or address failed too often: then 429 with the seconds to wait. A null result is a
   * failure. Attempts of one address run one after another, so a burst cannot pass before its first failure counts, and
   * one address never holds more than one place in the password queue.
   */
  attempt<T>(name: string, address: string, verify: () => Promise<T | null>): Promise<T | null>
}

/** Times of failures within the window, oldest first. */
type Failures = Map<string, number[]>

/**
 * Small and our own: rate-limiter-flexible keeps a timer per key without bound, takes the time from the system clock and
 * has fixed instead of growing delays.
 */
export function createThrottle({
  clock,
  perUser = 5,
  perAddress = 20,
  windowMs = 15 * 60_000,
  maxDelayMs = 60_000,
  maxRemembered = 10_000,
  maxWaiting = 64,
}: ThrottleOptions): Throttle {
  const byPair: Failures = new Map()
  const byAddress: Failures = new Map()
  const turns = new Map<string, { last: Promise<unknown>; waiting: number }>()

  const recent = (failures: Failures, key: string, nowMs: number) =>
    (failures.get(key) ?? []).filter((at) => at > nowMs - windowMs && at <= nowMs)

  const remember = (failures: Failures, key: string, limit: number, nowMs: number) => {
    // More than this many cannot lengthen the delay any further.
    const kept = [...recent(failures, key, nowMs), nowMs].slice(-(limit + 8))
    failures.delete(key)
    failures.set(key, kept)
    if (failures.size <= maxRemembered) return
    const [oldest] = failures.keys()
    if (oldest !== undefined) failures.delete(oldest)
  }

  /** After `limit` failures each further attempt waits 1, 2, 4 … s from the last one. */
  const waitMs = (failures: Failures, key: string, limit: number, nowMs: number) => {
    const times = recent(failures, key, nowMs)
    const last = times.at(-1)
    if (last === undefined || times.length < limit) return 0
    const delay = Math.min(maxDelayMs, 1000 * 2 ** (times.length - limit))
    return Math.max(0, last + delay - nowMs)
  }

  const inTurn = async <T>(address: string, work: () => Promise<T>): Promise<T> => {
    const turn = turns.get(address) ?? { last: Promise.resolve(), waiting: 0 }
    if (turn.waiting >= maxWaiting) {
      throw fail('rate_limited', {
        detail: 'Too many sign-ins at once from your address; try again in a moment.',
        retryAfter: 5,
      })
    }
    turns.set(address, turn)
    turn.waiting += 1
    const result = turn.last.then(work)
    turn.last = result.catch(() => undefined)
    try {
      return await result
    } finally {
      turn.waiting -= 1
      if (turn.waiting === 0) turns.delete(address)
    }
  }

  return {
    attempt(name, givenAddress, verify) {
      const address = network(givenAddress)
      const pair = createHash('sha256')
        .update(`${address}\n${fold(name)}`)
        .digest('base64url')
      return inTurn(address, async () => {
        const before = clock.now().getTime()
        const wait = Math.max(
          waitMs(byPair, pair, perUser, before),
          waitMs(byAddress, address, perAddress, before),
        )
        if (wait > 0) {
          const retryAfter = Math.ceil(wait / 1000)
          throw fail('rate_limited', {
            detail: `Too many failed sign-ins. Try again in ${retryAfter} s.`,
            retryAfter,
          })
        }
        const result = await verify()
        if (result !== null) {
          byPair.delete(pair)
          return result
        }
        const now = clock.now().getTime()
        remember(byPair, pair, perUser, now)
        remember(byAddress, address, perAddress, now)
        return null
      })
    },
  }
}

/** What counts as one address: an IPv4 address, or the /64 that one IPv6 host has to itself. */
export function network(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.toLowerCase().split('::')
  const groups = head === '' ? [] : head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length)
  const full = [...groups, ...new Array<string>(zeros).fill('0'), ...rest]
  return `${full
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
