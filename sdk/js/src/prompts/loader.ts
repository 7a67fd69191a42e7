import type { PromptdeckError } from '../core/errors.ts'
import type { Timings } from '../core/options.ts'
import type { Disk } from '../core/platform.ts'
import type { ServedPrompt, Update } from '../core/types.ts'
import type { Page, PromptResult, Service } from '../http/service.ts'
import { now, type Timers } from '../lib/timers.ts'
import type { Entries, Entry } from './entries.ts'

export type LoaderDeps = {
  readonly entries: Entries
  readonly service: Service
  readonly disk: Disk
  readonly timers: Timers
  readonly timings: Timings
  /** Number of the open live connection; null if there is none. */
  readonly connectionNumber: () => number | null
  readonly onUpdate: (update: Update) => void
  /** Called after a fetch; `seq` is that of the frame that caused it. */
  readonly onLoaded: (entry: Entry, seq: number | null) => void
}

export type Loader = {
  /**
   * Fetches a key, with one request for concurrent callers. Ignores the backoff. Throws only `Closed`.
   * `isBackground`: no caller waits for the result, so the first version of a watched key is announced with an
   * update event.
   */
  load(entry: Entry, options?: { readonly isBackground: boolean }): Promise<PromptResult>
  /** Schedules a fetch as soon as the backoff allows, and repeats it until it succeeds. */
  refresh(entry: Entry): void
  /** The service reports that the key is no longer served. */
  markMissing(entry: Entry, error: PromptdeckError, isAnnounced: boolean): Promise<void>
  /** Fetches one page of all served prompts. Skips those for which a newer change was received meanwhile. */
  loadPage(cursor: string | null): Promise<Page>
  /**
   * True while a page is being fetched: it may contain keys as they were before a change that is received
   * now.
   */
  isPaging(): boolean
}

type State = LoaderDeps & {
  /** Number of pages that are being fetched. */
  pages: number
}

/** Keeps memory and disk equal to the service: one fetch per key at a time, and none during a backoff. */
export function createLoader(deps: LoaderDeps): Loader {
  const state: State = { ...deps, pages: 0 }
  return {
    load: (entry, { isBackground } = { isBackground: false }) => load(state, entry, isBackground),
    refresh: (entry) => refresh(state, entry),
    markMissing: (entry, error, isAnnounced) => markMissing(state, entry, error, isAnnounced),
    loadPage: (cursor) => loadPage(state, cursor),
    isPaging: () => state.pages > 0,
  }
}

function load(state: State, entry: Entry, isBackground: boolean): Promise<PromptResult> {
  entry.request ??= fetchEntry(state, entry, isBackground).finally(() => {
    entry.request = null
    if (entry.isDue) refresh(state, entry)
  })
  return entry.request
}

function refresh(state: State, entry: Entry): void {
  entry.isDue = true
  if (entry.request !== null) return
  entry.cancelRetry?.()
  entry.cancelRetry = null
  const wait = entry.failures.until - now()
  if (wait <= 0) {
    // No caller waits for it; the only possible error is `Closed`, which needs no handling.
    load(state, entry, true).catch(() => undefined)
    return
  }
  entry.cancelRetry = state.timers.after(wait, () => {
    entry.cancelRetry = null
    if (entry.isDue) refresh(state, entry)
  })
}

async function fetchEntry(state: State, entry: Entry, isBackground: boolean): Promise<PromptResult> {
  const { epoch, pending, isDue: wasDue } = entry
  const startedOn = state.connectionNumber()
  entry.isDue = false
  const result = await state.service.prompt(entry.key, entry.cached?.prompt.etag ?? null)
  entry.changedAt = now()
  if (entry.epoch !== epoch) return superseded(entry, result)
  if (result.kind === 'failed') {
    entry.failures.failed(now(), result.retryAfterMs)
    entry.lastError = result.error
    entry.isDue ||= wasDue
    return result
  }
  resetFailures(entry)
  if (result.kind === 'missing') {
    await markMissing(state, entry, result.error, pending !== null)
    return result
  }
  markCurrent(state, entry, startedOn)
  if (result.kind === 'prompt')
    await store(state, entry, result.prompt, pending !== null || (isBackground && entry.isWatched))
  else if (entry.cached !== null) entry.cached.at = now()
  if (entry.epoch === epoch) complete(state, entry, pending)
  return result
}

/** A deletion received during the fetch is newer than the reply. */
const superseded = (entry: Entry, result: PromptResult): PromptResult =>
  entry.missing === null ? result : { kind: 'missing', error: entry.missing.error }

/** A fetch is current only if one connection covered it from its start to its end. */
function markCurrent(state: State, entry: Entry, startedOn: number | null): void {
  entry.isCurrent = startedOn !== null && startedOn === state.connectionNumber() && !entry.isDue
  entry.isCovered = false
}

/** Also completes a frame that arrived during the fetch, if it announced the fetched version. */
function complete(state: State, entry: Entry, before: Entry['pending']): void {
  const { pending } = entry
  const isDone = pending === before || pending?.version === entry.cached?.prompt.version
  if (isDone) entry.pending = null
  state.onLoaded(entry, (isDone ? pending : before)?.seq ?? null)
}

function resetFailures(entry: Entry): void {
  entry.failures.succeeded()
  entry.lastError = null
  entry.cancelRetry?.()
  entry.cancelRetry = null
}

async function store(state: State, entry: Entry, prompt: ServedPrompt, isAnnounced: boolean): Promise<void> {
  const { epoch } = entry
  const before = entry.cached?.prompt ?? entry.substitute
  const wasKnown = isAnnounced || before !== null || entry.missing !== null
  entry.cached = { prompt, at: now() }
  entry.substitute = null
  entry.missing = null
  await state.disk.write(prompt)
  const isSame = before !== null && before.etag === prompt.etag && before.version === prompt.version
  if (entry.epoch !== epoch || isSame || !wasKnown) return
  state.onUpdate({
    key: entry.key,
    version: prompt.version,
    previousVersion: before?.version ?? null,
    prompt: { ...prompt, source: 'network' },
  })
}

async function markMissing(
  state: State,
  entry: Entry,
  error: PromptdeckError,
  isAnnounced: boolean,
): Promise<void> {
  const before = entry.cached?.prompt ?? entry.substitute
  entry.cached = null
  entry.substitute = null
  entry.missing = { error, until: now() + state.timings.negativeMs }
  entry.isCurrent = false
  entry.isCovered = false
  entry.pending = null
  entry.acked = null
  resetFailures(entry)
  await state.disk.remove(entry.key)
  if (before === null && !isAnnounced) return
  state.onUpdate({ key: entry.key, version: null, previousVersion: before?.version ?? null, prompt: null })
}

async function loadPage(state: State, cursor: string | null): Promise<Page> {
  state.pages += 1
  try {
    const requestedAt = now()
    const startedOn = state.connectionNumber()
    const page = await state.service.prompts(cursor)
    if (page.kind === 'page') await storePage(state, page.prompts, requestedAt, startedOn)
    return page
  } finally {
    state.pages -= 1
  }
}

async function storePage(
  state: State,
  prompts: readonly ServedPrompt[],
  requestedAt: number,
  startedOn: number | null,
): Promise<void> {
  const storeOne = async (prompt: ServedPrompt): Promise<void> => {
    const entry = state.entries.of(prompt.key)
    if (entry.changedAt > requestedAt) return
    resetFailures(entry)
    const isSameConnection = startedOn === state.connectionNumber()
    markCurrent(state, entry, startedOn)
    await store(state, entry, prompt, entry.pending !== null)
    state.onLoaded(entry, null)
    // Changes between the request and the new connection were not announced.
    if (!isSameConnection && state.connectionNumber() !== null) refresh(state, entry)
  }
  // All are in memory at once, and none waits for the disk, which may be slow.
  await Promise.all(prompts.map(storeOne))
}
