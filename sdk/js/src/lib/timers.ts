/** The longest delay of a timer, in milliseconds; a longer one would fire immediately. */
export const maxTimerMs = 2 ** 31 - 1

export type Cancel = () => void
export type Timers = {
  /**
   * Runs the work once. Unless `keepsAlive`, a Node process may exit before. Returns a function that cancels
   * it.
   */
  after(ms: number, work: () => void, options?: { readonly keepsAlive?: boolean }): Cancel
  /** Cancels all timers; later ones are not started. */
  stop(): void
}

/** Milliseconds on a monotonic clock. */
export const now = (): number => performance.now()

/** All timers of one client, so that none outlives it. */
export function createTimers(): Timers {
  const running = new Set<unknown>()
  let isStopped = false
  return {
    after(ms, work, { keepsAlive = false } = {}) {
      if (isStopped) return () => undefined
      const timer = setTimeout(
        () => {
          running.delete(timer)
          work()
        },
        Math.min(Math.max(0, ms), maxTimerMs),
      )
      running.add(timer)
      // Node's timers are objects; a browser's are numbers, and keep nothing alive.
      if (!keepsAlive) (timer as { readonly unref?: () => void }).unref?.()
      return () => {
        running.delete(timer)
        clearTimeout(timer)
      }
    },
    stop() {
      isStopped = true
      for (const timer of running) clearTimeout(timer as number)
      running.clear()
    },
  }
}

/**
 * Waits for the work for at most `ms`; the work itself continues. Returns true if it ended in time; rethrows
 * its error.
 */
export async function within(timers: Timers, ms: number, work: Promise<unknown>): Promise<boolean> {
  let cancel: Cancel = () => undefined
  const late = new Promise<boolean>((resolve) => {
    cancel = timers.after(ms, () => resolve(false), { keepsAlive: true })
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    cancel()
  }
}
