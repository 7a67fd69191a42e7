/** Delays reads that arrive during a transaction until it has ended. */
export type ReadQueue = {
  /** Call it when a transaction begins: reads wait from now on. */
  pause(): void
  /** Call it when a transaction has ended. The waiting reads run before the next transaction. */
  resume(): void
  /** Runs `read` now, or right after the open transaction. */
  run<T>(read: () => T): T | Promise<T>
  /** Rejects every waiting read. */
  reject(error: Error): void
}

type WaitingRead = { readonly run: () => void; readonly reject: (error: Error) => void }

export function createReadQueue(): ReadQueue {
  let isPaused = false
  let waiting: WaitingRead[] = []

  function takeWaiting(): WaitingRead[] {
    const taken = waiting
    waiting = []
    return taken
  }

  return {
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      for (const { run } of takeWaiting()) run()
    },
    run(read) {
      if (!isPaused) return read()
      return new Promise((resolve, reject) => {
        const run = (): void => {
          try {
            resolve(read())
          } catch (error) {
            reject(error)
          }
        }
        waiting.push({ run, reject })
      })
    },
    reject(error) {
      for (const { reject } of takeWaiting()) reject(error)
    },
  }
}
