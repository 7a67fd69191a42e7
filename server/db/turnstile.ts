/** Reads that arrived while a transaction was open, and the transactions that wait for their turn. */
export type Turnstile = {
  /** Resolves when it is the caller's turn; first come, first served. */
  enter(): Promise<void> | undefined
  /** Lets the next in line in. */
  leave(): void
  /** A transaction begins: reads wait. */
  open(): void
  /** It ended: the reads that waited run, before anyone else begins. */
  close(): void
  /** Runs `read` now, or right after the open transaction. */
  outside<T>(read: () => T): T | Promise<T>
  /** Refuses every waiting read. */
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
