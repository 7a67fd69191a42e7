/** A mutex for transactions, with a queue of reads that arrive during a transaction. */
export type Turnstile = {
  /**
   * Resolves when the caller may begin a transaction; first come, first served. Undefined: it may begin at
   * once.
   */
  enter(): Promise<void> | undefined
  /** Lets the next caller begin. */
  leave(): void
  /** Call it when a transaction begins: reads wait from now on. */
  open(): void
  /** Call it when a transaction has ended. The waiting reads run before the next transaction. */
  close(): void
  /** Runs `read` now, or right after the open transaction. */
  outside<T>(read: () => T): T | Promise<T>
  /** Rejects every waiting read. */
  refuse(error: Error): void
}

type Waiting = { readonly run: () => void; readonly refuse: (error: Error) => void }

export function createTurnstile(): Turnstile {
  let isTaken = false
  let isOpen = false
  const line: (() => void)[] = []
  let reads: Waiting[] = []

  function takeReads(): Waiting[] {
    const waiting = reads
    reads = []
    return waiting
  }

  return {
    enter() {
      if (isTaken) return new Promise((resolve) => line.push(resolve))
      isTaken = true
      return undefined
    },
    leave() {
      const next = line.shift()
      if (next === undefined) isTaken = false
      else next()
    },
    open() {
      isOpen = true
    },
    close() {
      isOpen = false
      for (const { run } of takeReads()) run()
    },
    outside(read) {
      if (!isOpen) return read()
      return new Promise((resolve, refuse) => {
        const run = (): void => {
          try {
            resolve(read())
          } catch (error) {
            refuse(error)
          }
        }
        reads.push({ run, refuse })
      })
    },
    refuse(error) {
      for (const { refuse } of takeReads()) refuse(error)
    },
  }
}
