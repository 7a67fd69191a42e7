/** Maximum number of replies of this process that wait for one request. Further ones do not wait. */
const maxWaiting = 4

type Reply = {
  /** Ends the wait if the request is no longer pending. */
  check(): void
  end(): void
}

export type Waiting = {
  /** Call it when a request may have changed. */
  changed(id: string): void
  /** Call it when any request may have changed. */
  anyChanged(): void
  endAll(): void
  /** Resolves when `isPending` returns false, which is called at first and at each change, or the time is over. */
  wait(id: string, ms: number, isPending: () => Promise<boolean>): Promise<void>
}

/** Replies that wait for the end of a pairing request, by its id. */
export function createWaiting(): Waiting {
  const waiting = new Map<string, Set<Reply>>()
  const all = () => [...waiting.values()].flatMap((replies) => [...replies])
  return {
    changed(id) {
      for (const reply of waiting.get(id) ?? []) reply.check()
    },
    anyChanged() {
      for (const reply of all()) reply.check()
    },
    endAll() {
      for (const reply of all()) reply.end()
    },
    async wait(id, ms, isPending) {
      const replies = waiting.get(id) ?? new Set()
      if (replies.size >= maxWaiting || ms === 0) return
      waiting.set(id, replies)
      const { promise, resolve, reject } = deferred()
      const check = () => {
        isPending().then((pending) => pending || resolve(), reject)
      }
      const reply: Reply = { check, end: resolve }
      const timer = setTimeout(resolve, ms)
      replies.add(reply)
      check()
      try {
        await promise
      } finally {
        clearTimeout(timer)
        replies.delete(reply)
        if (replies.size === 0) waiting.delete(id)
      }
    },
  }
}

function deferred() {
  let resolve = () => {}
  let reject = (_error: unknown) => {}
  const promise = new Promise<void>((onDone, onError) => {
    resolve = onDone
    reject = onError
  })
  return { promise, resolve, reject }
}
