import { createFailures } from './backoff.ts'
import { type Entries, matters } from './entries.ts'
import { PromptdeckError } from './errors.ts'
import { inTurns } from './in-turns.ts'
import type { Loader } from './loader.ts'
import type { Settings } from './options.ts'
import type { Disk } from './platform.ts'
import { checkKey, type Prompts } from './prompts.ts'
import { now, type Timers, within } from './timers.ts'

export type PrefetchDeps = {
  readonly settings: Settings
  readonly entries: Entries
  readonly loader: Loader
  readonly disk: Disk
  readonly timers: Timers
  readonly prompts: Prompts
}

export type Prefetch = {
  some(keys: readonly string[]): Promise<void>
  all(): Promise<void>
  /** The token was replaced. */
  tokenChanged(): void
}

/** Fetches in advance, for at most `requestMs`; throws if nothing is available at all. */
export function createPrefetch(deps: PrefetchDeps): Prefetch {
  const { settings, entries, loader, disk, timers, prompts } = deps
  const { timings, fallbacks } = settings
  const failures = createFailures(timings)
  let lastError: PromptdeckError | null = null
  let flight: Promise<void> | null = null

  const late = (): PromptdeckError =>
    new PromptdeckError(
      'Unavailable',
      `Not everything came within ${timings.requestMs} ms. Name fewer keys, or give timings.requestMs.`,
    )

  const fetchAll = async (): Promise<void> => {
    const seen = new Set<string | null>()
    let cursor: string | null = null
    // A repeated cursor would lead to an endless loop.
    while (!seen.has(cursor)) {
      seen.add(cursor)
      const page = await loader.loadPage(cursor)
      if (page.kind === 'failed') {
        failures.failed(now(), page.retryAfterMs)
        lastError = page.error
        throw page.error
      }
      if (page.next === null) break
      cursor = page.next
    }
    failures.succeeded()
    lastError = null
  }

  const hasAny = async (): Promise<boolean> =>
    fallbacks.size > 0 || entries.all().some(matters) || (await disk.hasAny())

  const hasCopy = async (keys: readonly string[]): Promise<boolean> => {
    for (const key of keys) {
      if (fallbacks.has(key) || entries.find(key)?.held || (await disk.read(key)) !== null) return true
    }
    return false
  }

  return {
    async some(keys) {
      const wanted = [...new Set(keys.map(checkKey))]
      const failed: PromptdeckError[] = []
      let had = 0
      const endsAt = now() + timings.requestMs
      const work = inTurns(wanted, async (key) => {
        if (now() >= endsAt) return
        try {
          await prompts.get(key)
          had += 1
        } catch (error) {
          if (!(error instanceof PromptdeckError) || error.code === 'Closed') throw error
          // A missing key is a valid result, and is remembered.
          if (error.code === 'NotFound') had += 1
          else failed.push(error)
        }
      })
      await within(timers, timings.requestMs, work)
      // The lookup of a copy may not have ended in time.
      if (had === 0 && wanted.length > 0 && !(await hasCopy(wanted))) throw failed[0] ?? late()
    },

    async all() {
      try {
        if (flight === null && lastError !== null && failures.until > now()) throw lastError
        flight ??= fetchAll().finally(() => {
          flight = null
        })
        if (!(await within(timers, timings.requestMs, flight))) throw late()
      } catch (error) {
        if (!(error instanceof PromptdeckError) || error.code === 'Closed' || !(await hasAny())) throw error
      }
    },

    tokenChanged: () => failures.succeeded(),
  }
}
