/** A read-write lock: many readers or one writer, in order of arrival. */
export type ReadWriteLock = {
  read<T>(work: () => Promise<T>): Promise<T>
  /**
   * Runs `work` as the only user. `work` may call `release` before it ends, when it no longer needs the lock
   * and only awaits the disk; a second call does nothing.
   */
  write<T>(work: (release: () => void) => Promise<T>): Promise<T>
}

type Waiting = { readonly isWriter: boolean; readonly start: () => void }

export function createReadWriteLock(): ReadWriteLock {
  const queue: Waiting[] = []
  let readers = 0
  let isWriting = false

  const admit = () => {
    for (;;) {
      const next = queue[0]
      if (next === undefined || isWriting || (next.isWriter && readers > 0)) return
      queue.shift()
      if (next.isWriter) isWriting = true
      else readers += 1
      next.start()
    }
  }
  const acquire = (isWriter: boolean) =>
    new Promise<void>((start) => {
      queue.push({ isWriter, start })
      admit()
    })

  return {
    async read(work) {
      await acquire(false)
      try {
        return await work()
      } finally {
        readers -= 1
        admit()
      }
    },
    async write(work) {
      await acquire(true)
      let isHolding = true
      const release = () => {
        if (!isHolding) return
        isHolding = false
        isWriting = false
        admit()
      }
      try {
        return await work(release)
      } finally {
        release()
      }
    },
  }
}
