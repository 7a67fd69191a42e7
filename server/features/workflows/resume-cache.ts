/** The values of an execution for resuming it, which also works if nothing is captured. */
export type Remembered = {
  readonly variables: Readonly<Record<string, unknown>>
  readonly input: string
  /** By step. */
  readonly outputs: ReadonlyMap<string, string>
}

export type Memory = {
  keep(id: string, what: Remembered): void
  get(id: string): Remembered | null
  forget(id: string): void
}

/** Maximum length of all entries together, in UTF-16 units. */
const mostLength = 16 * 1024 * 1024
const mostEntries = 500

const lengthOf = ({ variables, input, outputs }: Remembered): number =>
  JSON.stringify(variables).length +
  input.length +
  [...outputs].reduce((sum, [name, output]) => sum + name.length + output.length, 0)

/** A memory for resuming executions, never stored on disk. The least recently used entries are evicted. */
export function createMemory(): Memory {
  const kept = new Map<string, { readonly what: Remembered; readonly length: number }>()
  let length = 0
  const forget = (id: string) => {
    length -= kept.get(id)?.length ?? 0
    kept.delete(id)
  }
  return {
    keep(id, what) {
      forget(id)
      const own = lengthOf(what)
      if (own > mostLength) return
      kept.set(id, { what, length: own })
      length += own
      for (const [oldest] of kept) {
        if (length <= mostLength && kept.size <= mostEntries) break
        forget(oldest)
      }
    },
    get(id) {
      const found = kept.get(id)
      if (found === undefined) return null
      kept.delete(id)
      kept.set(id, found)
      return found.what
    },
    forget,
  }
}
