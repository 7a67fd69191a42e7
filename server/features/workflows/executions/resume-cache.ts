/** The values of an execution for resuming it, which also works if nothing is captured. */
export type ResumeState = {
  readonly variables: Readonly<Record<string, unknown>>
  readonly input: string
  /** By step. */
  readonly outputs: ReadonlyMap<string, string>
}

export type ResumeCache = {
  set(id: string, state: ResumeState): void
  get(id: string): ResumeState | null
  delete(id: string): void
}

/** Maximum length of all entries together, in UTF-16 code units. */
const maxLength = 16 * 1024 * 1024
const maxEntries = 500

const lengthOf = ({ variables, input, outputs }: ResumeState): number =>
  JSON.stringify(variables).length +
  input.length +
  [...outputs].reduce((sum, [name, output]) => sum + name.length + output.length, 0)

/** A cache for resuming executions, never stored on disk. The least recently used entries are evicted. */
export function createResumeCache(): ResumeCache {
  const entries = new Map<string, { readonly state: ResumeState; readonly length: number }>()
  let length = 0
  const remove = (id: string) => {
    length -= entries.get(id)?.length ?? 0
    entries.delete(id)
  }
  return {
    set(id, state) {
      remove(id)
      const entryLength = lengthOf(state)
      if (entryLength > maxLength) return
      entries.set(id, { state, length: entryLength })
      length += entryLength
      for (const [oldest] of entries) {
        if (length <= maxLength && entries.size <= maxEntries) break
        remove(oldest)
      }
    },
    get(id) {
      const entry = entries.get(id)
      if (entry === undefined) return null
      entries.delete(id)
      entries.set(id, entry)
      return entry.state
    },
    delete: remove,
  }
}
