/** Many readers or one writer, in the order they came. */
export type Gate = {
  read<T>(work: () => Promise<T>): Promise<T>
  /** `leave` may be called before `work` ends: with its statements done, what is left is waiting for the disk. */
  write<T>(work: (leave: () => void) => Promise<T>): Promise<T>
}

type Waiting = { readonly isWriter: boolean; readonly go: () => void }

/**
 * Statistics are several statements; a run folded or removed between two of them would be counted twice or never.
 * Everything that changes runs or roll-ups passes here as a writer, statistics as readers; other tables do not wait.
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
