/** Runs asynchronous jobs one after the other. */
export type SerialQueue = {
  /** Starts `job` when every earlier job has ended. Settles as the job does. */
  run<T>(job: () => Promise<T>): Promise<T>
  /** Resolves when the jobs added so far have ended. */
  idle(): Promise<void>
}

export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run(job) {
      const result = last.then(job)
      last = result.catch(() => {})
      return result
    },
    async idle() {
      await last
    },
  }
}
