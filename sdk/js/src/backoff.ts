export type BackoffTimes = { readonly retryMinMs: number; readonly retryMaxMs: number }

/** How long to wait after that many failures in a row: doubled with each, up to a bound. */
export const waitAfter = (failures: number, { retryMinMs, retryMaxMs }: BackoffTimes): number =>
  Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(failures - 1, 40))

/** Anywhere between 0 and that, so that many clients do not come back at the same moment. */
export const spread = (ms: number): number => Math.random() * ms

/** What is known about failures in a row. */
export type Failures = {
  /** Counts one. `atLeastMs`: what the service asked for. Answers how long to wait. */
  failed(at: number, atLeastMs?: number | null): number
  succeeded(): void
  /** The service answers again: the wait starts anew from its shortest. */
  shorten(): void
  /** When the next attempt may be made; 0 when there was no failure. */
  readonly until: number
}

export function createFailures(times: BackoffTimes): Failures {
  let count = 0
  let failedAt = 0
  let until = 0
  return {
    failed(at, atLeastMs) {
      count += 1
      failedAt = at
      const wait = Math.max(waitAfter(count, times), atLeastMs ?? 0)
      until = at + wait
      return wait
    },
    succeeded() {
      count = 0
      until = 0
    },
    shorten() {
      if (count === 0) return
      count = 1
      until = Math.min(until, failedAt + times.retryMinMs)
    },
    get until() {
      return until
    },
  }
}
