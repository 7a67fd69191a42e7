/** Delays reads that arrive during a transaction until it has ended. */
export type ReadQueue = {
  /** Call it when a transaction begins: reads wait from now on. */
  pause(): void
  /** Call it when a transaction has ended. The waiting reads run before the next transaction. */
  resume(): void
  /** Runs `read` now, or right after the open transaction. */
  run<T>(read: () => T): T | Promise<T>
}

export function createReadQueue(): ReadQueue {
  let isPaused = false
  let waiting: (() => void)[] = []

  return {
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      const reads = waiting
      waiting = []
      for (const read of reads) read()
    },
    run(read) {
      if (!isPaused) return read()
      return new Promise((resolve, reject) => {
        waiting.push(() => {
          try {
            resolve(read())
          } catch (error) {
            reject(error)
          }
        })
      })
    },
  }
}
