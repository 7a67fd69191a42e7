import { type BackoffTimes, createFailures, type Failures } from './backoff.ts'
import type { PromptdeckError } from './errors.ts'
import type { Answer } from './service.ts'
import type { Cancel } from './timers.ts'
import type { ServedPrompt } from './types.ts'

/** All that is known about one key. Times are on the clock of `now()`. */
export type Entry = {
  readonly key: string
  /** What is in memory, and when it was last known to be what is served. */
  held: { readonly prompt: ServedPrompt; at: number } | null
  /** The live connection has said everything about it since it was fetched. */
  isCurrent: boolean
  /** It was current when the connection ended; what came after is replayed. */
  isCovered: boolean
  isWatched: boolean
  /** What was answered in place of the service. */
  standIn: ServedPrompt | null
  missing: { readonly error: PromptdeckError; readonly until: number } | null
  readonly failures: Failures
  lastError: PromptdeckError | null
  flight: Promise<Answer> | null
  /** It has to be fetched once more, as soon as it may. */
  isDue: boolean
  cancelRetry: Cancel | null
  /** The newest frame about it. */
  heardSeq: number
  /** The newest frame that is not yet worked off, and the version it tells of. */
  pending: { readonly seq: number; readonly version: string | null } | null
  /** What the service was last told that the app runs, and over which connection. */
  acked: { readonly line: number; readonly version: string } | null
  /** Grows when what is under way has been overtaken. */
  epoch: number
  /** When it was last fetched, heard of or deleted. */
  touchedAt: number
}

/** Keys nobody holds or watches are forgotten beyond this many; names made of user input must not fill the memory. */
const mostEntries = 5_000

export type Entries = {
  /** The entry of a key, made when it is not there. */
  of(key: string): Entry
  find(key: string): Entry | undefined
  all(): readonly Entry[]
  /** Called with every key that was not known before. */
  onNew(listener: () => void): void
}

/** What an app would miss if it changed unheard. */
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
