/** Maximum number of replies that wait for one request. Further ones do not wait. */
const maxWaiting = 4

/** Replies that wait for a change of a pairing request, by its id. */
export function createWaiting() {
  const waiting = new Map<string, Set<() => void>>()
  const wake = (id: string) => {
    for (const done of waiting.get(id) ?? []) done()
  }
  return {
    wake,
    wakeAll() {
      for (const id of [...waiting.keys()]) wake(id)
    },
    /** Resolves when `wake` is called for this id, or the time is over. */
    async wait(id: string, ms: number): Promise<void> {
      const doneFunctions = waiting.get(id) ?? new Set()
      if (doneFunctions.size >= maxWaiting || ms === 0) return
      waiting.set(id, doneFunctions)
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer)
          doneFunctions.delete(done)
          if (doneFunctions.size === 0) waiting.delete(id)
          resolve()
        }
        const timer = setTimeout(done, ms)
        doneFunctions.add(done)
      })
    },
  }
}
