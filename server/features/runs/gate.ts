/** A read-write lock: many readers or one writer, in order of arrival. */
export type Gate = {
  read<T>(work: () => Promise<T>): Promise<T>
  /**
   * `leave` releases the lock. It may be called before `work` ends, when its statements are done and only the
   * disk is awaited.
   */
  write<T>(work: (leave: () => void) => Promise<T>): Promise<T>
}

type Waiting = { readonly isWriter: boolean; readonly go: () => void }

/**
 * Creates the lock for runs and roll-ups. Statistics consist of several statements; a run that is compacted
 * or removed between two of them would be counted twice or never. All changes of runs and roll-ups are
 * writers, statistics are readers. Other tables are not locked.
 */
export function createGate(): Gate {
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
      next.go()
    }
  }
  const enter = (isWriter: boolean) =>
    new Promise<void>((go) => {
      queue.push({ isWriter, go })
      admit()
    })

  return {
    async read(work) {
      await enter(false)
      try {
        return await work()
      } finally {
        readers -= 1
        admit()
      }
    },
    async write(work) {
      await enter(true)
      let isInside = true
      const leave = () => {
        if (!isInside) return
        isInside = false
        isWriting = false
        admit()
      }
      try {
        return await work(leave)
      } finally {
        leave()
      }
    },
  }
}
