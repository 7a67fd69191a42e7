import { hash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import type { Clock } from '../lib/clock.ts'
import { minuteMs } from '../lib/durations.ts'
import { fail } from '../lib/fail.ts'
import { fold } from '../lib/text/search.ts'
import { createFailureLog, type FailureLog } from './failure-log.ts'

/** Time after which a failure no longer counts, in milliseconds. */
export const failureWindowMs = 15 * minuteMs
const maxDelayMs = minuteMs

export type ThrottleOptions = {
  readonly clock: Clock
  /** Failures per name and address before the first delay. */
  readonly perUser?: number
  /** Failures per address, for all names, before the first delay. */
  readonly perAddress?: number
  /**
   * Maximum number of name-address pairs, and of addresses, in memory. The least recently failed is removed
   * first.
   */
  readonly maxRemembered?: number
  /** Returns the log of one kind of key. By default it is in memory, and each kind has its own. */
  readonly logOf?: (kind: 'pair' | 'address') => FailureLog
  /** Maximum number of attempts per address that wait or run. */
  readonly maxWaiting?: number
  /** Name of the attempts in error messages, in the plural. */
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

/** Returns the name of attempts with a password. Other names do not begin with `user `. */
export const passwordOf = (username: string): string => `user ${username}`

/** The failures of a kind of key: pairs of name and address, or addresses. */
type Failures = {
  /** Failures before the first delay. */
  readonly limit: number
  readonly log: FailureLog
}

const recentOf = (times: readonly number[], nowMs: number) =>
  times.filter((at) => at > nowMs - failureWindowMs && at <= nowMs)

/** Adds a failure. Stores only the newest ones, because more would not lengthen the delay. */
const addFailure = (failures: Failures, key: string, nowMs: number): Promise<void> =>
  failures.log.update(key, (times) => [...recentOf(times, nowMs), nowMs].slice(-(failures.limit + 8)))

/**
 * Returns how long to wait, in milliseconds. After `limit` failures the delay is 1 s and doubles with each
 * failure.
 */
async function waitMs(failures: Failures, key: string, nowMs: number): Promise<number> {
  const recent = recentOf(await failures.log.timesOf(key), nowMs)
  const last = recent.at(-1)
  if (last === undefined || recent.length < failures.limit) return 0
  const delay = Math.min(maxDelayMs, 1000 * 2 ** (recent.length - failures.limit))
  return Math.max(0, last + delay - nowMs)
}

/** The attempts by address that wait or run. */
type Queues = {
  readonly byAddress: Map<string, { last: Promise<unknown>; waiting: number }>
  readonly maxWaiting: number
  readonly noun: string
}

async function runSerially<T>(
  { byAddress: queues, maxWaiting, noun }: Queues,
  address: string,
  work: () => Promise<T>,
): Promise<T> {
  const queue = queues.get(address) ?? { last: Promise.resolve(), waiting: 0 }
  if (queue.waiting >= maxWaiting) {
    throw fail('rate_limited', {
      detail: `Too many ${noun} at once; try again in a moment.`,
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
  maxRemembered = 10_000,
  logOf = () => createFailureLog(maxRemembered),
  maxWaiting = 64,
  noun = 'sign-ins',
}: ThrottleOptions): Throttle {
  const byPair: Failures = { limit: perUser, log: logOf('pair') }
  const byAddress: Failures = { limit: perAddress, log: logOf('address') }
  const queues: Queues = { byAddress: new Map(), maxWaiting, noun }

  return {
    attempt(name, remoteAddress, verify) {
      const address = networkOf(remoteAddress)
      const pair = hash('sha256', `${address}\n${fold(name)}`, 'base64url')
      return runSerially(queues, address, async () => {
        const before = clock.now().getTime()
        const wait = Math.max(await waitMs(byPair, pair, before), await waitMs(byAddress, address, before))
        if (wait > 0) {
          const retryAfter = Math.ceil(wait / 1000)
          throw fail('rate_limited', {
            detail: `Too many failed ${noun}. Try again in ${retryAfter} s.`,
            retryAfter,
          })
        }
        const result = await verify()
        if (result !== null) {
          await byPair.log.remove(pair)
          return result
        }
        const now = clock.now().getTime()
        await addFailure(byPair, pair, now)
        await addFailure(byAddress, address, now)
        return null
      })
    },
  }
}

/**
 * Returns the key under which an address is counted: the IPv4 address, or the /64 prefix of an IPv6 address,
 * because one host usually owns a whole /64.
 */
export function networkOf(address: string): string {
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
