/** Lets one caller at a time proceed; first come, first served. */
export type Mutex = {
  /** Runs `work` when that of every earlier caller has ended. */
  run<T>(work: () => Promise<T>): Promise<T>
}

export function createMutex(): Mutex {
  let isTaken = false
  const waiting: (() => void)[] = []
  const release = (): void => {
    const next = waiting.shift()
    if (next === undefined) isTaken = false
    else next()
  }
  return {
    async run(work) {
      const earlier = isTaken ? new Promise<void>((resolve) => waiting.push(resolve)) : undefined
      isTaken = true
      await earlier
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}
