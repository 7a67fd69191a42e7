/** The failures of sign-ins by key: pairs of name and address, or addresses. */
export type FailureLog = {
  /** Returns the times of failures, oldest first, in epoch milliseconds. They may be older than the window. */
  timesOf(key: string): Promise<readonly number[]>
  /** Replaces the times of a key by what `change` returns for them. */
  update(key: string, change: (times: readonly number[]) => readonly number[]): Promise<void>
  remove(key: string): Promise<void>
}

/** Creates a log in memory. At the limit, the key that failed least recently is removed. */
export function createFailureLog(maxRemembered: number): FailureLog {
  const times = new Map<string, readonly number[]>()
  return {
    timesOf: async (key) => times.get(key) ?? [],
    async update(key, change) {
      const changed = change(times.get(key) ?? [])
      times.delete(key)
      times.set(key, changed)
      const [oldest] = times.keys()
      if (times.size > maxRemembered && oldest !== undefined) times.delete(oldest)
    },
    async remove(key) {
      times.delete(key)
    },
  }
}
