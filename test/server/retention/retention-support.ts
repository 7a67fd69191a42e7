export const hour = 3_600_000

export const day = 24 * hour

export const start = Date.parse('2026-11-21T09:00:00.000Z')

/** A wall clock and a monotonic clock that a test can set apart. */
export function controllableTime() {
  let wallMs = start
  let monotonicMs = 5000
  return {
    clock: { now: () => new Date(wallMs), monotonicMs: () => monotonicMs },
    /** Advances both clocks. */
    run(ms: number) {
      wallMs += ms
      monotonicMs += ms
    },
    /** Changes only the wall clock, as after a manual change or a suspended machine. */
    jump(ms: number) {
      wallMs += ms
    },
  }
}
