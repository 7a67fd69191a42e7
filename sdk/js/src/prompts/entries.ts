import type { PromptdeckError } from '../core/errors.ts'
import type { ServedPrompt } from '../core/types.ts'
import type { PromptResult } from '../http/service.ts'
import { type BackoffTimes, createFailures, type Failures } from '../lib/backoff.ts'
import type { Cancel } from '../lib/timers.ts'

/** State of one key. Times are on the clock of `now()`. */
export type Entry = {
  readonly key: string
  /** The prompt in memory, and when it was last known to be the served one. */
  cached: { readonly prompt: ServedPrompt; at: number } | null
  /** True while the live connection has covered every change since the fetch. */
  isCurrent: boolean
  /** True if it was current when the connection ended; later changes are replayed on resume. */
  isCovered: boolean
  isWatched: boolean
  /** The copy (disk or fallback) that was returned instead of the service's reply. */
  substitute: ServedPrompt | null
  missing: { readonly error: PromptdeckError; readonly until: number } | null
  readonly failures: Failures
  lastError: PromptdeckError | null
  request: Promise<PromptResult> | null
  /** True if another fetch is needed as soon as it is allowed. */
  isDue: boolean
  cancelRetry: Cancel | null
  /** Sequence number of the newest frame about the key. */
  lastSeq: number
  /** The newest frame that is not yet processed, and the version it announces. */
  pending: { readonly seq: number; readonly version: string | null } | null
  /** The last acknowledged version, and on which connection. */
  acked: { readonly connection: number; readonly version: string } | null
  /** Incremented when a fetch in progress has become outdated. */
  epoch: number
  /** The time of the last fetch, announcement or deletion. */
  changedAt: number
}

/**
 * Above this number, keys that are neither stored nor watched are dropped: keys built from user input must
 * not fill the memory.
 */
const maxEntries = 5_000

export type Entries = {
  /** Returns the entry of a key; creates it if it is missing. */
  of(key: string): Entry
  find(key: string): Entry | undefined
  all(): readonly Entry[]
  /** Sets the listener that is called for every new key. */
  onNew(listener: () => void): void
}

/** Returns true if the app uses the key: it is in memory, served from a copy, or watched. */
export const isInUse = (entry: Entry): boolean =>
  entry.cached !== null || entry.substitute !== null || entry.isWatched

export function createEntries(times: BackoffTimes): Entries {
  const byKey = new Map<string, Entry>()
  let notifyNew: () => void = () => undefined

  const evictOne = (): void => {
    for (const entry of byKey.values()) {
      if (isInUse(entry) || entry.request !== null) continue
      byKey.delete(entry.key)
      return
    }
  }

  return {
    of(key) {
      const known = byKey.get(key)
      if (known !== undefined) return known
      if (byKey.size >= maxEntries) evictOne()
      const entry: Entry = {
        key,
        cached: null,
        isCurrent: false,
        isCovered: false,
        isWatched: false,
        substitute: null,
        missing: null,
        failures: createFailures(times),
        lastError: null,
        request: null,
        isDue: false,
        cancelRetry: null,
        lastSeq: -1,
        pending: null,
        acked: null,
        epoch: 0,
        changedAt: 0,
      }
      byKey.set(key, entry)
      notifyNew()
      return entry
    },
    find: (key) => byKey.get(key),
    all: () => [...byKey.values()],
    onNew(listener) {
      notifyNew = listener
    },
  }
}
