export type BackoffTimes = { readonly retryMinMs: number; readonly retryMaxMs: number }

/** Wait in milliseconds after that many consecutive failures: doubles with each, up to `retryMaxMs`. */
export const backoffMs = (failures: number, { retryMinMs, retryMaxMs }: BackoffTimes): number =>
  Math.min(retryMaxMs, retryMinMs * 2 ** Math.min(failures - 1, 40))

/** Returns a random wait from 0 to `ms`, so that many clients do not reconnect at the same moment. */
export const jitter = (ms: number): number => Math.random() * ms

/** State of consecutive failures. Times are on the clock of `now()`, in milliseconds. */
export type Failures = {
  /**
   * Counts a failure. `atLeastMs` is the wait that the service asked for. Returns the wait in milliseconds.
   */
  failed(at: number, atLeastMs?: number | null): number
  succeeded(): void
  /** The service is reachable again: the backoff restarts from its shortest wait. */
  shorten(): void
  /** The backoff restarts; a waiting attempt is made at the given time. */
  restart(at: number): void
  /** Time of the earliest next attempt; 0 without failures. */
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
      const wait = Math.max(backoffMs(count, times), atLeastMs ?? 0)
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
    restart(at) {
      count = 0
      if (until > 0) until = at
    },
    get until() {
      return until
    },
  }
}
