/** Callers that wait until their transaction is on disk, in the order of transactions. */
export type SyncWaiters = {
  /** Calls `onSynced` and resolves once `transaction` is on disk. */
  wait(transaction: number, onSynced: (() => void) | undefined): Promise<void>
  /** Resolves the callers whose transaction is at most `synced`. */
  release(synced: number): void
  /** Rejects every caller. */
  reject(createError: () => Error): void
  isEmpty(): boolean
}

type Waiter = {
  readonly transaction: number
  readonly onSynced: (() => void) | undefined
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

export function createSyncWaiters(): SyncWaiters {
  const waiters: Waiter[] = []
  return {
    wait: (transaction, onSynced) =>
      new Promise((resolve, reject) => waiters.push({ transaction, onSynced, resolve, reject })),
    release(synced) {
      let count = 0
      for (const waiter of waiters) {
        if (waiter.transaction > synced) break
        waiter.onSynced?.()
        waiter.resolve()
        count += 1
      }
      waiters.splice(0, count)
    },
    reject(createError) {
      for (const waiter of waiters.splice(0)) waiter.reject(createError())
    },
    isEmpty: () => waiters.length === 0,
  }
}
