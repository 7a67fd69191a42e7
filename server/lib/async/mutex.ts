/** Lets one caller at a time proceed; first come, first served. */
export type Mutex = {
  /** Resolves when the caller has the mutex. Returns undefined if the mutex was free. */
  acquire(): Promise<void> | undefined
  /** Passes the mutex to the next caller. */
  release(): void
}

export function createMutex(): Mutex {
  let isTaken = false
  const waiting: (() => void)[] = []
  return {
    acquire() {
      if (isTaken) return new Promise((resolve) => waiting.push(resolve))
      isTaken = true
      return undefined
    },
    release() {
      const next = waiting.shift()
      if (next === undefined) isTaken = false
      else next()
    },
  }
}
