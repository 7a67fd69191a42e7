import { isDeepStrictEqual } from 'node:util'

/** The fields of a resource that a mutation sets, or `gone` after its deletion (and before its creation). */
export type State = Readonly<Record<string, unknown>> | 'gone'

export type Entry = {
  /** Every state that the store may return: several while a mutation has no reply. */
  accepted: State[]
  /** Audit entries: at least one per acknowledged mutation, at most one per attempted mutation. */
  acknowledged: number
  attempted: number
}

/** Reads the state of one resource from the service. */
export type Reader = (id: string) => Promise<State>

export type Ledger = {
  /** Expected states by resource key (`workspace:<id>`). */
  readonly entries: Map<string, Entry>
  /** Keys of resources with an attempt since the last check. */
  readonly touched: Set<string>
  /** Runs `mutate`, which sets the resource to `next`. The entry accepts both states until the reply. */
  attempt<T>(key: string, next: State, mutate: () => Promise<T>): Promise<T>
  /** Adds a resource after its creation was acknowledged, because only the reply contains its id. */
  created(key: string, state: State): void
  /**
   * Returns a copy for a backup that begins now. Until `close`, it accepts each later state as well, because
   * the backup may or may not contain a concurrent mutation.
   */
  copy(): { readonly entries: Map<string, Entry>; close(): void }
  /** Continues from `entries`, because the store was replaced by a backup. */
  replace(entries: ReadonlyMap<string, Entry>): void
}

export function createLedger(): Ledger {
  const entries = new Map<string, Entry>()
  const touched = new Set<string>()
  const copies = new Set<Map<string, Entry>>()

  /**
   * Returns the entry of `key` in each open copy; a resource created after the copy may be absent from the
   * backup.
   */
  const entriesInCopies = (key: string): Entry[] =>
    [...copies].map((copy) => {
      const known = copy.get(key)
      if (known !== undefined) return known
      const added: Entry = { accepted: ['gone'], acknowledged: 0, attempted: 0 }
      copy.set(key, added)
      return added
    })

  return {
    entries,
    touched,
    async attempt(key, next, mutate) {
      const entry = entries.get(key)
      if (entry === undefined) throw new Error(`${key} is not in the ledger`)
      touched.add(key)
      for (const each of [entry, ...entriesInCopies(key)]) {
        each.accepted.push(next)
        each.attempted += 1
      }
      const result = await mutate()
      entry.accepted = [next]
      entry.acknowledged += 1
      return result
    },
    created(key, state) {
      touched.add(key)
      entries.set(key, { accepted: [state], acknowledged: 1, attempted: 1 })
      for (const each of entriesInCopies(key)) {
        each.accepted.push(state)
        each.attempted += 1
      }
    },
    copy() {
      const copied = new Map(
        [...entries].map(([key, entry]) => [key, { ...entry, accepted: [...entry.accepted] }]),
      )
      copies.add(copied)
      return { entries: copied, close: () => void copies.delete(copied) }
    },
    replace(next) {
      entries.clear()
      for (const [key, entry] of next) entries.set(key, { ...entry, accepted: [...entry.accepted] })
      touched.clear()
      for (const key of entries.keys()) touched.add(key)
    },
  }
}

/** Compares resources with the store, and sets each entry to its stored state. Returns the violations. */
export async function reconcile(
  ledger: Ledger,
  readers: Readonly<Record<string, Reader>>,
  keys: Iterable<string>,
): Promise<string[]> {
  const violations: string[] = []
  for (const key of [...keys]) {
    const [kind = '', id = ''] = key.split(/:(.*)/s)
    const entry = ledger.entries.get(key)
    const read = readers[kind]
    if (entry === undefined || read === undefined) throw new Error(`no reader or entry for ${key}`)
    const actual = await read(id)
    const match = entry.accepted.find((state) => isDeepStrictEqual(state, actual))
    if (match === undefined)
      violations.push(`${key}: ${JSON.stringify(actual)} is none of ${JSON.stringify(entry.accepted)}`)
    else entry.accepted = [match]
    ledger.touched.delete(key)
  }
  return violations
}
