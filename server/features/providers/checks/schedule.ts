import { minuteMs } from '../../../lib/durations.ts'
import type { Every } from '../../../lib/every.ts'
import type { Health } from './health.ts'

/** Interval at which due checks are started, in milliseconds. */
const tickMs = 15_000
/** Maximum interval between the checks of a failing provider, in milliseconds. */
const failingMs = minuteMs
/** Share by which an interval varies, so that many installations do not check at the same moment. */
const jitter = 0.2

export type CheckTarget = { readonly name: string; readonly health: Health | null }

export type ProviderChecks = { close(): Promise<void> }

export type ProviderChecksDeps = {
  /** Returns the providers to check in the background. */
  readonly targets: () => readonly CheckTarget[]
  /** Checks one provider and stores the outcome. */
  readonly check: (name: string, signal: AbortSignal) => Promise<unknown>
  readonly now: () => Date
  readonly every: Every
  readonly random: () => number
  /** Interval between the checks of a working provider, in milliseconds. A call counts as a check. */
  readonly intervalMs: number
  readonly onError: (error: unknown) => void
}

/**
 * Returns true if a check is due. `factor` varies the interval. A check is also due if the last outcome is in
 * the future, because the clock was set back.
 */
export function isDue(health: Health | null, now: number, intervalMs: number, factor: number): boolean {
  if (health === null) return true
  const interval = health.error === null ? intervalMs : Math.min(failingMs, intervalMs)
  const age = now - health.at
  return age < 0 || age >= interval * factor
}

/** Checks providers at intervals: each one at most once at a time, all of them concurrently. */
export function startProviderChecks(deps: ProviderChecksDeps): ProviderChecks {
  const { targets, check, now, every, random, intervalMs, onError } = deps
  const closing = new AbortController()
  const running = new Map<string, Promise<unknown>>()
  const factors = new Map<string, number>()
  const newFactor = () => 1 + jitter * (2 * random() - 1)

  const start = (name: string) => {
    factors.set(name, newFactor())
    const work = check(name, closing.signal)
      .catch(onError)
      .finally(() => running.delete(name))
    running.set(name, work)
  }
  const tick = () => {
    const current = targets()
    const names = new Set(current.map(({ name }) => name))
    for (const name of factors.keys()) if (!names.has(name)) factors.delete(name)
    for (const { name, health } of current) {
      if (running.has(name)) continue
      if (isDue(health, now().getTime(), intervalMs, factors.get(name) ?? 1)) start(name)
    }
  }
  const stop = every(tickMs, tick)
  return {
    async close() {
      stop()
      closing.abort()
      await Promise.all(running.values())
    },
  }
}
