import type { Clock } from '../../../main/lib/clock.ts'

export type ManualClock = Clock & {
  /** Advances the clock, and runs due timers in order. */
  pass(ms: number): void
  pendingTimers(): number
}

/** A clock that only the test advances. */
export function manualClock(startsAt = Date.UTC(2026, 10, 21)): ManualClock {
  let now = startsAt
  let timers: { readonly at: number; readonly run: () => void }[] = []
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
    pass(ms) {
      const end = now + ms
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
        if (next === undefined) break
        timers = timers.filter((one) => one !== next)
        now = next.at
        next.run()
      }
      now = end
    },
    pendingTimers: () => timers.length,
  }
}
