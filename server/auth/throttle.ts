import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Clock } from '../lib/clock.ts'
import { minuteMs } from '../lib/durations.ts'
import { fail } from '../lib/fail.ts'
import { fold } from '../lib/text/search.ts'

export type ThrottleOptions = {
  readonly clock: Clock
  /** Failures per name and address before the first delay. */
  readonly perUser?: number
  /** Failures per address, for all names, before the first delay. */
  readonly perAddress?: number
  readonly windowMs?: number
  readonly maxDelayMs?: number
  /**
   * Maximum number of name-address pairs, and of addresses, in memory. The least recently failed is removed
   * first.
   */
  readonly maxRemembered?: number
  /** Maximum number of concurrent attempts per address. */
  readonly maxWaiting?: number
  /** The attempts in error messages, in the plural. */
  readonly noun?: string
}

/** Delays sign-in attempts after failures. */
export type Throttle = {
  /**
   * Runs `verify`, unless this name or address failed too often; then it throws 429 with the seconds to wait.
   * A null result is a failure. Attempts of one address run one after another: a burst cannot pass before its
   * first failure counts, and one address has at most one job in the password queue.
   */
  attempt<T>(name: string, address: string, verify: () => Promise<T | null>): Promise<T | null>
}

/** The failures of a kind of key: pairs of name and address, or addresses. */
type FailureLog = Required<Pick<ThrottleOptions, 'windowMs' | 'maxDelayMs' | 'maxRemembered'>> & {
  /** Failures before the first delay. */
  readonly limit: number
  /** Times of failures within the window, oldest first, in milliseconds. */
  readonly times: Map<string, readonly number[]>
}

const recentFailures = ({ times, windowMs }: FailureLog, key: string, nowMs: number) =>
  (times.get(key) ?? []).filter((at) => at > nowMs - windowMs && at <= nowMs)

function addFailure(log: FailureLog, key: string, nowMs: number): void {
  const { times, limit, maxRemembered } = log
  // More failures than these do not lengthen the delay.
  const recent = [...recentFailures(log, key, nowMs), nowMs].slice(-(limit + 8))
  times.delete(key)
  times.set(key, recent)
  if (times.size <= maxRemembered) return
  const [oldest] = times.keys()
  if (oldest !== undefined) times.delete(oldest)
}

/**
 * Returns how long to wait, in milliseconds. After `limit` failures the delay is 1 s and doubles with each
 * failure.
 */
function waitMs(log: FailureLog, key: string, nowMs: number): number {
  const recent = recentFailures(log, key, nowMs)
  const last = recent.at(-1)
  if (last === undefined || recent.length < log.limit) return 0
  const delay = Math.min(log.maxDelayMs, 1000 * 2 ** (recent.length - log.limit))
  return Math.max(0, last + delay - nowMs)
}

/** The attempts by address that wait or run. */
type Queues = Map<string, { last: Promise<unknown>; waiting: number }>

async function runSerially<T>(
  queues: Queues,
  maxWaiting: number,
  address: string,
  work: () => Promise<T>,
): Promise<T> {
  const queue = queues.get(address) ?? { last: Promise.resolve(), waiting: 0 }
  if (queue.waiting >= maxWaiting) {
    throw fail('rate_limited', {
      detail: 'Too many sign-ins at once from your address; try again in a moment.',
      retryAfter: 5,
    })
  }
  queues.set(address, queue)
  queue.waiting += 1
  const result = queue.last.then(work)
  queue.last = result.catch(() => undefined)
  try {
    return await result
  } finally {
    queue.waiting -= 1
    if (queue.waiting === 0) queues.delete(address)
  }
}

/**
 * Limits failed sign-ins, with a delay that doubles. rate-limiter-flexible does not fit: it keeps an
 * unbounded number of timers, reads the system clock and has fixed delays.
 */
export function createThrottle({
  clock,
  perUser = 5,
  perAddress = 20,
  windowMs = 15 * minuteMs,
  maxDelayMs = minuteMs,
  maxRemembered = 10_000,
  maxWaiting = 64,
  noun = 'sign-ins',
}: ThrottleOptions): Throttle {
  const shared = { windowMs, maxDelayMs, maxRemembered }
  const byPair: FailureLog = { ...shared, limit: perUser, times: new Map() }
  const byAddress: FailureLog = { ...shared, limit: perAddress, times: new Map() }
  const queues: Queues = new Map()

  return {
    attempt(name, remoteAddress, verify) {
      const address = network(remoteAddress)
      const pair = createHash('sha256')
        .update(`${address}\n${fold(name)}`)
        .digest('base64url')
      return runSerially(queues, maxWaiting, address, async () => {
        const before = clock.now().getTime()
        const wait = Math.max(waitMs(byPair, pair, before), waitMs(byAddress, address, before))
        if (wait > 0) {
          const retryAfter = Math.ceil(wait / 1000)
          throw fail('rate_limited', {
            detail: `Too many failed ${noun}. Try again in ${retryAfter} s.`,
            retryAfter,
          })
        }
        const result = await verify()
        if (result !== null) {
          byPair.times.delete(pair)
          return result
        }
        const now = clock.now().getTime()
        addFailure(byPair, pair, now)
        addFailure(byAddress, address, now)
        return null
      })
    },
  }
}

/**
 * Returns the key under which an address is counted: the IPv4 address, or the /64 prefix of an IPv6 address,
 * because one host usually owns a whole /64.
 */
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
