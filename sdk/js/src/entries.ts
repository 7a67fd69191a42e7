import { type BackoffTimes, createFailures, type Failures } from './backoff.ts'
import type { PromptdeckError } from './errors.ts'
import type { Answer } from './service.ts'
import type { Cancel } from './timers.ts'
import type { ServedPrompt } from './types.ts'

/** State of one key. Times are on the clock of `now()`. */
export type Entry = {
  readonly key: string
  /** The prompt in memory, and when it was last known to be the served one. */
  held: { readonly prompt: ServedPrompt; at: number } | null
  /** True while the live connection has covered every change since the fetch. */
  isCurrent: boolean
  /** True if it was current when the connection ended; later changes are replayed on resume. */
  isCovered: boolean
  isWatched: boolean
  /** The copy (disk or fallback) that was returned instead of the service's reply. */
  standIn: ServedPrompt | null
  missing: { readonly error: PromptdeckError; readonly until: number } | null
  readonly failures: Failures
  lastError: PromptdeckError | null
  flight: Promise<Answer> | null
  /** True if another fetch is needed as soon as it is allowed. */
  isDue: boolean
  cancelRetry: Cancel | null
  /** Sequence number of the newest frame about the key. */
  heardSeq: number
  /** The newest frame that is not yet processed, and the version it announces. */
  pending: { readonly seq: number; readonly version: string | null } | null
  /** The last acknowledged version, and on which connection. */
  acked: { readonly line: number; readonly version: string } | null
  /** Incremented when a fetch in progress has become outdated. */
  epoch: number
  /** When it was last fetched, announced or deleted. */
  touchedAt: number
}

/**
 * Above this number, keys that are neither stored nor watched are dropped: keys built from user input must
 * not fill the memory.
 */
const mostEntries = 5_000

export type Entries = {
  /** Returns the entry of a key; creates it if it is missing. */
  of(key: string): Entry
  find(key: string): Entry | undefined
  all(): readonly Entry[]
  /** Sets the listener that is called for every new key. */
  onNew(listener: () => void): void
}

/** Returns true if the app uses the key: it is in memory, served from a copy, or watched. */
export const matters = (entry: Entry): boolean =>
  entry.held !== null || entry.standIn !== null || entry.isWatched

export function createEntries(times: BackoffTimes): Entries {
  const byKey = new Map<string, Entry>()
  let tellNew: () => void = () => undefined

  const forgetOne = (): void => {
    for (const entry of byKey.values()) {
      if (matters(entry) || entry.flight !== null) continue
      byKey.delete(entry.key)
      return
    }
  }

  return {
    of(key) {
      const known = byKey.get(key)
      if (known !== undefined) return known
      if (byKey.size >= mostEntries) forgetOne()
      const entry: Entry = {
        key,
        held: null,
        isCurrent: false,
        isCovered: false,
        isWatched: false,
        standIn: null,
        missing: null,
        failures: createFailures(times),
        lastError: null,
        flight: null,
        isDue: false,
        cancelRetry: null,
        heardSeq: -1,
        pending: null,
        acked: null,
        epoch: 0,
        touchedAt: 0,
      }
      byKey.set(key, entry)
      tellNew()
      return entry
    },
    find: (key) => byKey.get(key),
    all: () => [...byKey.values()],
    onNew(listener) {
      tellNew = listener
    },
  }
}
