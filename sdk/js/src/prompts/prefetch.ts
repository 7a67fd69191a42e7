import { PromptdeckError } from '../core/errors.ts'
import type { Settings } from '../core/options.ts'
import type { Disk } from '../core/platform.ts'
import { createFailures } from '../lib/backoff.ts'
import { forEachConcurrently } from '../lib/concurrently.ts'
import { now, type Timers, within } from '../lib/timers.ts'
import { type Entries, isInUse } from './entries.ts'
import type { Loader } from './loader.ts'
import { checkKey, type Prompts } from './prompts.ts'

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
  let request: Promise<void> | null = null

  const timeoutError = (): PromptdeckError =>
    new PromptdeckError(
      'Unavailable',
      `Not all prompts were fetched within ${timings.requestMs} ms. Prefetch fewer keys, or increase timings.requestMs.`,
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
    fallbacks.size > 0 || entries.all().some(isInUse) || (await disk.hasAny())

  const hasCopy = async (keys: readonly string[]): Promise<boolean> => {
    for (const key of keys) {
      if (fallbacks.has(key) || entries.find(key)?.cached || (await disk.read(key)) !== null) return true
    }
    return false
  }

  return {
    async some(keys) {
      const distinctKeys = [...new Set(keys.map(checkKey))]
      const result: Result = { available: 0, errors: [] }
      const endsAt = now() + timings.requestMs
      const work = forEachConcurrently(distinctKeys, async (key) => {
        if (now() < endsAt) await fetchOne(prompts, key, result)
      })
      await within(timers, timings.requestMs, work)
      // The lookup of a copy may not have ended in time.
      const hasNone = result.available === 0 && distinctKeys.length > 0
      if (hasNone && !(await hasCopy(distinctKeys))) throw result.errors[0] ?? timeoutError()
    },

    async all() {
      try {
        if (request === null && lastError !== null && failures.until > now()) throw lastError
        request ??= fetchAll().finally(() => {
          request = null
        })
        if (!(await within(timers, timings.requestMs, request))) throw timeoutError()
      } catch (error) {
        if (!(error instanceof PromptdeckError) || error.code === 'Closed' || !(await hasAny())) throw error
      }
    },

    tokenChanged: () => failures.succeeded(),
  }
}

type Result = { available: number; readonly errors: PromptdeckError[] }

/** Fetches a key and adds its outcome to the result. Throws only `Closed`. */
async function fetchOne(prompts: Prompts, key: string, result: Result): Promise<void> {
  try {
    await prompts.get(key)
    result.available += 1
  } catch (error) {
    if (!(error instanceof PromptdeckError) || error.code === 'Closed') throw error
    // A missing key is a valid result, and is remembered.
    if (error.code === 'NotFound') result.available += 1
    else result.errors.push(error)
  }
}
